/** A server that refuses nothing, however late it runs: the experiment must find it out. */
import '../support/not-shedding.ts'

await import('../../src/main.ts')
