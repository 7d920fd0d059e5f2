import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createListPrinter, readPages } from '#cli/output.ts'
import { launchCli, newInstallation } from './run-cli.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

const installation = await newInstallation()
after(installation.remove)
const { env } = installation
const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada Lovelace']
const acme = await runHostedCliJson(env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const workspace = ['--workspace', acme.workspace_id ?? '']

type ListedRows = { data: Record<string, unknown>[] }

test('lists workspaces, accounts, members and projects', async () => {
  const project = await runHostedCliJson(env, 'project', 'create', ...workspace, '--name', 'Rocket')
  const list = (...words: string[]) => runHostedCliJson<ListedRows>(env, ...words)
  const [workspaces, users, members, projects] = [
    await list('workspace', 'list'),
    await list('user', 'list'),
    await list('member', 'list', ...workspace),
    await list('project', 'list', ...workspace),
  ]
  const { workspace_id: id, user_id } = acme
  assert.partialDeepStrictEqual(workspaces.data, [{ id, name: 'Acme', members: 1 }])
  const person = { id: user_id, email: 'ada@example.com', name: 'Ada Lovelace' }
  assert.partialDeepStrictEqual(users.data, [{ ...person, workspaces: 1 }])
  assert.partialDeepStrictEqual(members.data, [{ ...person, role: 'owner', removed_at: null }])
  assert.partialDeepStrictEqual(projects.data, [{ id: project.id ?? '', prefix: 'ROC' }])
  const unknown = await runHostedCli(env, 'project', 'list', '--workspace', 'wsp_x')
  assert.deepEqual([unknown.code, JSON.parse(unknown.stderr).error.code], [1, 'not_found'])
})

test('no name controls the terminal of the operator, and JSON keeps its value', async () => {
  const [name, escaped] = ['Plan \u202egnp.\u2066', 'Plan \\u202egnp.\\u2066']
  const create = ['project', 'create', ...workspace, '--name', name]
  for (const words of [
    [...create, '--prefix', 'ONE', '--json'],
    [...create, '--prefix', 'TWO'],
    ['project', 'list', ...workspace],
    ['project', 'list', ...workspace, '--json'],
    ['member', 'add', ...workspace, '--from', name],
  ]) {
    const { stdout, stderr } = await runHostedCli(env, ...words)
    const output = stdout + stderr
    assert.deepEqual([output.includes(escaped), /[\u202e\u2066]/.test(output)], [true, false])
  }
})

test('prints a list page by page as one JSON object', async () => {
  const rows = Array.from({ length: 1_200 }, (_, at) => ({ id: `${at + 1_000}` }))
  const limits: number[] = []
  const readPage = async ({ after, limit }: { after: string; limit: number }) => {
    limits.push(limit)
    return rows.filter(({ id }) => id > after).slice(0, limit)
  }
  const written: string[] = []
  const collectIn = (texts: string[]) => async (text: string) => {
    texts.push(text)
  }
  await createListPrinter(true, collectIn(written))(readPages(readPage))
  assert.deepEqual(JSON.parse(written.join('')), { data: rows })
  assert.deepEqual([written.length, limits], [4, [500, 500, 500]])
  const lines: string[] = []
  await createListPrinter(false, collectIn(lines))(readPages(readPage))
  assert.deepEqual(lines.join('').split('\n').slice(0, 3), ['id', '1000', '1001'])
  assert.equal(lines.join('').trim().split('\n').length, 1_201)
})

test('a list whose reader has ended ends quietly', async () => {
  const { child, ended } = launchCli(env, 'user', 'list')
  child.stdout.destroy()
  assert.deepEqual(await ended, { code: 0, stdout: '', stderr: '' })
})

test('a destructive command without a terminal says what it would do, and needs --yes', async () => {
  const cases: [string[], RegExp][] = [
    [['key', 'revoke', '--key', acme.api_key_id ?? ''], /API key "cli" .* workspace "Acme"/],
    [['user', 'reset-password', '--email', 'ada@example.com'], /Ada Lovelace .* a generated/],
    [['user', 'clear-second-factor', '--email', 'ada@example.com'], /second factor of Ada/],
    [['member', 'remove', ...workspace, '--user', acme.user_id ?? ''], /"last_owner"/],
  ]
  for (const [words, expected] of cases) {
    const { code, stdout, stderr } = await runHostedCli(env, ...words)
    assert.match(stderr, expected)
    const isLastOwner = words[0] === 'member'
    assert.deepEqual([code, stdout], [isLastOwner ? 1 : 2, ''])
    if (!isLastOwner)
      assert.match(stderr, /^This .* Add --yes to confirm; nothing was changed\.\n$/)
  }
  const { data } = await runHostedCliJson<ListedRows>(env, 'key', 'list', ...workspace)
  assert.equal(data.length, 1)
})

test('a command that finds no installation says so and creates nothing', async (t) => {
  const { env: otherEnv, dataDir, remove } = await newInstallation()
  t.after(remove)
  const missing = { ...otherEnv, DOCKET_DATA_DIR: join(dataDir, 'missing') }
  for (const words of [
    ['workspace', 'list'],
    ['key', 'revoke', '--yes', '--key', 'key_x'],
  ]) {
    const { code, stderr } = await runHostedCli(missing, ...words)
    assert.equal(code, 1)
    assert.match(JSON.parse(stderr).error.message, /^There is no Docket in \/.*missing\./)
    assert.equal(existsSync(missing.DOCKET_DATA_DIR), false)
  }
})
