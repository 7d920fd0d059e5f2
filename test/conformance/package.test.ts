import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Comment } from '#resources/comments/contract.ts'
import { Member } from '#resources/members/contract.ts'
import { Project } from '#resources/projects/contract.ts'
import { Tag } from '#resources/tags/contract.ts'
import { Task } from '#resources/tasks/fields.ts'
import { TimeEntry } from '#resources/time-entries/contract.ts'
import { Webhook } from '#resources/webhooks/contract.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { CORE_ENDPOINTS, fieldsOf } from '../../conformance/src/server/endpoints.ts'

test('the package is JavaScript that runs without the repository', () => {
  const outDir = createTempDir()
  const pack = ['pack', '--json', '--pack-destination', outDir]
  execFileSync('npm', pack, { cwd: 'conformance', stdio: 'pipe' })
  const [tarball = ''] = globSync('*.tgz', { cwd: outDir })
  execFileSync('tar', ['-xzf', tarball], { cwd: outDir })
  const dist = join(outDir, 'package/dist')
  const main = readFileSync(join(dist, 'main.js'), 'utf8')
  assert.match(main, /^#!\/usr\/bin\/env node\n/)
  assert.doesNotMatch(main, /\.ts'/)
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(dist, 'main.js'), 'receiver', 'http://127.0.0.1:1', '--secret', 'whsec_x'],
    { encoding: 'utf8', cwd: outDir },
  )
  assert.deepEqual([status, stderr], [3, 'connect ECONNREFUSED 127.0.0.1:1\n'])
})

test('the packages have the version of Docket', () => {
  const [root, ...versions] = ['', 'sdk', 'cli', 'conformance'].map(
    (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version,
  )
  assert.deepEqual(versions, [root, root, root])
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
