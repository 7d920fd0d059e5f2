import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'

/**
 * Runs the random histories at any length, on each engine and with two servers on one PostgreSQL:
 * `npx node test/experiments/changes/main.ts --full`, or
 * `… --histories 50 --seed 7 --steps 60 --engines sqlite`. The seed of each history that fails is printed
 * with its last actions; `--seed` and `--histories 1` replay it, with the same number of steps.
 */
const { values } = parseArgs({
  options: {
    full: { type: 'boolean' },
    histories: { type: 'string' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '80' },
    engines: { type: 'string', default: 'sqlite postgres' },
  },
})
const env = {
  ...process.env,
  CHANGES_HISTORIES: values.histories ?? (values.full ? '1000' : '20'),
  CHANGES_SEED: values.seed,
  CHANGES_STEPS: values.steps,
  TEST_ENGINES: values.engines,
}
const nodeArgs = ['--test', '--test-global-setup=test/support/postgres.ts']
const child = spawn(process.execPath, [...nodeArgs, 'test/changes/changes.test.ts'], {
  env,
  stdio: 'inherit',
})
child.on('exit', (code) => {
  process.exitCode = code ?? 1
})
