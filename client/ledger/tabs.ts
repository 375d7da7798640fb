import { channelOf } from '../channel.ts'
import { notify } from '../notify.ts'

export type Tabs = ReturnType<typeof tabsOf>

/** The listeners in this tab, and the other tabs with the same copy, which call `onChange` when they hear of a change. */
export function tabsOf(name: string, onChange: () => void) {
  const listeners = new Set<() => void>()
  let channel = channelOf(name, onChange)

  return {
    notifyThis: (): void => notify(listeners),
    notifyOthers: (): void => channel?.postMessage(null),

    /** Calls the listener whenever the result of a read may have changed. Returns a function that unsubscribes it. */
    subscribe(listener: () => void): () => void {
      // A function of its own, so that a listener that is subscribed twice is unsubscribed once.
      const own = () => listener()
      listeners.add(own)
      return () => listeners.delete(own)
    },

    /** Stops listening to other tabs and notifying them. Pending changes stay. */
    close(): void {
      channel?.close()
      channel = undefined
    },
  }
}
