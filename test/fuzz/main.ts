import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'

/**
 * Runs the fuzz test at any length: `npx node test/fuzz/main.ts --requests 1000000 [--seed 7] [--lanes 3]`.
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string' },
    lanes: { type: 'string', default: '0,1,2,3,4,5,6,7' },
  },
})
const env = {
  ...process.env,
  FUZZ_REQUESTS: values.requests,
  FUZZ_SEED: values.seed ?? String(Date.now() % 1_000_000),
  FUZZ_LANES: values.lanes,
}
const nodeArgs = ['--test', '--test-global-setup=test/support/postgres.ts']
const testArgs = ['--test-name-pattern=every fuzzed request', 'test/fuzz/fuzz.test.ts']
const child = spawn(process.execPath, [...nodeArgs, ...testArgs], { env, stdio: 'inherit' })
child.on('exit', (code) => {
  process.exitCode = code ?? 1
})
