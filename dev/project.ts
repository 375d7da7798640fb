import path from 'node:path'

/** The directory of the checkout. */
export const projectDirectory = path.join(import.meta.dirname, '..')

/** The assets of a Worker that is not deployed. */
export const referenceDirectory = path.join(projectDirectory, 'dist/reference')

/** The variable that tells before-build.ts that the Worker has all its parts. */
export const startedByStack = 'PURSE_STACK'

/** The variable with which before-build.ts accepts the example's addresses, for a Worker that is not deployed. */
export const exampleAddressesAllowed = 'PURSE_EXAMPLE_ADDRESSES'
