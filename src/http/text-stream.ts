/** A body that is written as the client reads it. `onError` is told of an error, which breaks the connection. */
export function textStream(
  parts: AsyncIterator<string>,
  onError: (error: Error) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await parts.next()
          if (done) controller.close()
          else controller.enqueue(encoder.encode(value))
        } catch (error) {
          onError(error as Error)
          controller.error(error)
        }
      },
    },
    // Reads nothing ahead.
    { highWaterMark: 0 },
  )
}
