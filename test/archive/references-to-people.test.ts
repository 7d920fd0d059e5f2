import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#lib/id.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exportArchive, importArchive, readArchiveFiles } from './archive-files.ts'
import { createFilledWorkspace } from './filled-workspace.ts'
import { forgeLine } from './forge-archive.ts'

test('an import names each reference to a person who is not in the archive', async () => {
  const served = await openTestDocket('sqlite')
  const { workspace } = await createFilledWorkspace(served)
  const { archive } = await exportArchive(served, workspace)
  const to = await openFreshDocket('sqlite')
  const stranger = newId('usr')
  let count = 0
  for (const [name, bytes] of await readArchiveFiles(archive)) {
    const [part = '', kind] = name.split('.')
    if (kind !== 'jsonl' || part === 'members') continue
    const line: Record<string, unknown> = JSON.parse(bytes.toString().split('\n')[0] || '{}')
    for (const field of Object.keys(line)) {
      const isPerson = field === 'only_for' || /^usr_/.test(String(line[field]))
      if (!isPerson) continue
      count += 1
      const value = Array.isArray(line[field]) ? [stranger] : stranger
      const path = await forgeLine(archive, part, 1, (one) =>
        Object.assign(one, { [field]: value }),
      )
      const message = new RegExp(`^${part}\\.jsonl line 1: \`${field}\` is not in`, 'm')
      await assert.rejects(importArchive(to, path), { code: 'archive_invalid', message }, field)
    }
  }
  assert.ok(count > 5, `${count}`)
})
