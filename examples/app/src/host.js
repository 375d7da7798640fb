/** Answers for a path that is no file: with the app, or with a 404 that no cache keeps if it looks like one. */
export default {
  fetch(request, { ASSETS }) {
    const { pathname, origin } = new URL(request.url)
    if (!/\.\w+$/.test(pathname)) return ASSETS.fetch(new Request(`${origin}/`, request))
    return new Response('Not found.', { status: 404, headers: { 'Cache-Control': 'no-store' } })
  },
}
