import { pageSize } from '../services/transactions/list.ts'

/** The page that was asked for, from 1; anything that is no page number is page 1. */
export function pageNumber(text: string | undefined): number {
  const page = /^\d+$/.test(text ?? '') ? Number(text) : 1
  return Number.isSafeInteger(page) && page >= 1 ? page : 1
}

/** A page as existing clients know it (api.md §2), with links that keep the filters of `url`. */
export function presentPage<Row>(url: string, page: number, total: number, data: Row[]) {
  const lastPage = Math.max(1, Math.ceil(total / pageSize))
  const before = (page - 1) * pageSize
  const linkTo = (target: number) => {
    const link = new URL(url)
    link.searchParams.set('page', String(target))
    return link.href
  }
  return {
    current_page: page,
    data,
    first_page_url: linkTo(1),
    from: data.length > 0 ? before + 1 : null,
    last_page: lastPage,
    last_page_url: linkTo(lastPage),
    next_page_url: page < lastPage ? linkTo(page + 1) : null,
    path: url.replace(/[?#].*$/, ''),
    per_page: pageSize,
    prev_page_url: page > 1 ? linkTo(page - 1) : null,
    to: data.length > 0 ? before + data.length : null,
    total,
  }
}
