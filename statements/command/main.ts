#!/usr/bin/env node
// Older versions of Node run this file too, which reports that they are too old.
const oldest = 22
const [major] = process.versions.node.split('.')
if (Number(major) < oldest) {
  console.error(`purse-statements: needs Node ${oldest} or later; this is ${process.versions.node}.`)
  process.exitCode = 1
} else import('./run.ts').then(({ main }) => main(process.argv.slice(2)))
