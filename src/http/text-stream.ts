/** A body that is written as the client reads it. `onError` is called with an error, which breaks the connection. */
export function textStream(
  parts: AsyncIterator<string>,
  onError: (error: Error) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let isCancelled = false
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await parts.next()
          if (isCancelled) return
          if (done) controller.close()
          else controller.enqueue(encoder.encode(value))
        } catch (error) {
          onError(error as Error)
          controller.error(error)
        }
      },
      cancel() {
        isCancelled = true
      },
    },
    // Reads nothing ahead.
    { highWaterMark: 0 },
  )
}
