import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Comment } from '#resources/comments/contract.ts'
import { Member } from '#resources/members/contract.ts'
import { Project } from '#resources/projects/contract.ts'
import { Tag } from '#resources/tags/contract.ts'
import { Task } from '#resources/tasks/fields.ts'
import { TimeEntry } from '#resources/time-entries/contract.ts'
import { Webhook } from '#resources/webhooks/contract.ts'
import { CORE_ENDPOINTS, fieldsOf } from '../../conformance/src/server/endpoints.ts'
import { serverArguments, startDocketUnderTest } from './docket-under-test.ts'
import { runChecksOf } from './run-kit.ts'

test('Docket passes all checks of a server', async () => {
  const docket = await startDocketUnderTest()
  const run = await runChecksOf(...serverArguments(docket, docket.port))
  assert.deepEqual(
    run.results.filter(({ outcome }) => outcome !== 'passed'),
    [],
  )
  assert.equal(run.code, 0)
  assert.match(run.stderr, /^\d+ requests\.\n$/)
  for (const key of [docket.key, docket.secondKey, docket.readOnlyKey]) {
    assert.ok(!run.output.includes(key))
  }
})

test('the kit knows the endpoints and fields of the contract', () => {
  const spec = readFileSync('docs/spec/api.md', 'utf8')
  const [, list = ''] = spec.split('### The 23 endpoints')
  const [core = ''] = list.split('### Extensions')
  const listed = [...core.matchAll(/(GET|POST|PATCH|DELETE) `([^`]+)`/g)]
  assert.deepEqual(
    CORE_ENDPOINTS.map(({ line }) => line).toSorted(),
    listed.map(([, method, path]) => `${method} ${path}`).toSorted(),
  )
  const records = [
    ['project', Project],
    ['task', Task],
    ['comment', Comment],
    ['timeEntry', TimeEntry],
    ['tag', Tag],
    ['member', Member],
    ['webhook', Webhook],
  ] as const
  for (const [name, { properties }] of records) {
    // The secret of a webhook is not in every reply.
    const fields = Object.keys(properties).filter((field) => field !== 'secret')
    assert.deepEqual(fieldsOf(name).toSorted(), fields.toSorted(), name)
  }
})
