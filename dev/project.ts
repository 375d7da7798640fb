import path from 'node:path'

/** The directory of the checkout. */
export const projectDirectory = path.join(import.meta.dirname, '..')
