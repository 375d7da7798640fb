const words = { waiting: 'not sent yet', conflict: 'changed elsewhere as well', rejected: 'refused' } as const

/** Marks a row of which something waits. */
export function Waits({ of: { waits } }: { of: { waits: keyof typeof words | null } }) {
  return waits && <span class={`badge ${waits}`}>{words[waits]}</span>
}
