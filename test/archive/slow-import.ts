import { LOADS } from '#archive/load.ts'

/** The command line, with an import that stands still when the comments are in. */
LOADS.time_entries = () => new Promise(() => setInterval(() => {}, 1_000))
await import('../../src/cli/main.ts')
