/** Makes the same choices in every run. */
export function picker(seed: number) {
  let state = seed
  return <T>(...choices: T[]): T => {
    state = (state * 48_271) % 2_147_483_647
    return choices[state % choices.length] as T
  }
}
