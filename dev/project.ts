import path from 'node:path'

/** The directory of the checkout. */
export const projectDirectory = path.join(import.meta.dirname, '..')

/** The variable that tells before-build.ts that the Worker has all its parts. */
export const startedByStack = 'PURSE_STACK'
