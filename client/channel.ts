/** `BroadcastChannel`, as far as it is used here. */
type Channel = {
  postMessage: (message: null) => void
  onmessage: (() => void) | null
  close: () => void
  /** In Node, where an open channel would keep the process from ending. */
  unref?: () => void
}

/** Opens the channel between the tabs of an app; undefined if the platform has none. */
export function channelOf(name: string, onmessage: () => void): Channel | undefined {
  const { BroadcastChannel } = globalThis as { BroadcastChannel?: new (name: string) => Channel }
  const channel = BroadcastChannel && new BroadcastChannel(name)
  if (channel) channel.onmessage = onmessage
  channel?.unref?.()
  return channel
}
