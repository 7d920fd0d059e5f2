import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'

/** `npm run fuzz -- --requests 1000000 [--seed 7] [--lanes 3]`: the fuzz of the tests, as long as you like. */
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
  ...(values.seed !== undefined && { FUZZ_SEED: values.seed }),
  FUZZ_LANES: values.lanes,
}
const words = ['--test', '--test-global-setup=test/support/postgres.ts']
const only = ['--test-name-pattern=no request whatever', 'test/experiments/fuzz.test.ts']
const child = spawn(process.execPath, [...words, ...only], { env, stdio: 'inherit' })
child.on('exit', (code) => {
  process.exitCode = code ?? 1
})
