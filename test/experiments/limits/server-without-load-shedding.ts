/** For the control: a server without load shedding. */
import '../../support/server-variants/no-load-shedding.ts'

await import('../../../src/main.ts')
