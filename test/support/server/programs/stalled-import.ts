import { LINE_LOADERS } from '#archive/import/line-loaders.ts'

/** The command line with an import that stalls after the comments. */
LINE_LOADERS.time_entries = () => new Promise(() => setInterval(() => {}, 1_000))
await import('../../../../src/cli/main.ts')
