import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ProgramResult,
  readPrograms,
  runProgram,
  runProgramForEach,
} from './documented-programs.ts'
import { createChangedPosts, createForgedPosts, signGenuinePosts } from './signed-posts.ts'

const NAMES = ['verify.ts', 'verify.py', 'verify.go', 'verify.rb', 'verify.php', 'verify.sh']
/** Programs whose interpreter every test machine has. */
const ALWAYS_RUN = ['verify.ts', 'verify.sh']

const { programs, missing } = readPrograms('docs/guides/verify-webhooks.md', 'verify')

test('docs/guides/verify-webhooks.md has a verification program for each language', (t) => {
  const installed = programs.map(({ name }) => name)
  assert.deepEqual([...installed, ...missing].sort(), [...NAMES].sort())
  for (const name of ALWAYS_RUN) assert.ok(installed.includes(name), `${name} must run everywhere`)
  if (missing.length > 0) t.diagnostic(`nothing on this machine runs ${missing.join(', ')}`)
})

for (const program of programs) {
  test(`${program.name} accepts only requests that Docket signed`, async () => {
    for (const [label, sent] of Object.entries(signGenuinePosts())) {
      assert.deepEqual(await runProgram(program, sent), { code: 0, printed: 'genuine' }, label)
    }
    const refused = { ...createForgedPosts(), ...createChangedPosts() }
    const results = await runProgramForEach(program, refused)
    for (const [label, { secret }] of Object.entries(refused)) {
      assertRefused(results[label], secret, label)
    }
  })
}

function assertRefused(result: ProgramResult | undefined, secret: string, label: string): void {
  // Without a secret any failure is fine, as long as nothing is accepted.
  if (secret === '') assert.ok(result?.code && result.printed !== 'genuine', label)
  else assert.deepEqual(result, { code: 1, printed: 'refused' }, label)
}
