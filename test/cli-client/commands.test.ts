import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { createProjectRow } from '#resources/projects/create-project.ts'
import { SCOPES, type Scope } from '#wire/scopes.ts'
import { parseOrigin } from '../../cli/src/config.ts'
import { dayFrom } from '../../cli/src/days.ts'
import { branchNameOf } from '../../cli/src/git.ts'
import {
  createComment,
  createTask,
  createTimeEntry,
  Docket,
  getTask,
  listOperations,
  listTaskOperations,
  listTaskTimeEntries,
  type Member,
  type Task,
  type UndoResult,
  updateTimeEntry,
  uploadAttachment,
} from '../../sdk/src/index.ts'
import { collectOutput } from '../support/system/child-processes.ts'
import { listenUntilEnd } from '../support/system/listen-until-end.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createScopedKey } from '../support/world/test-workspace.ts'
import { createClientMachine, startDocketForClients } from './client-machine.ts'

const { url, team, post, storage, owner } = await startDocketForClients()
const docket = new Docket({ baseUrl: url, token: team.keys.owner })

/** Creates a task as somebody else would. */
async function newTask(title: string): Promise<Task> {
  const { id } = await post('/tasks', { project_id: team.project, title })
  return getTask(docket, id)
}

/** Changes the time zone of the owner, as the app does. */
async function setTimezone(timezone: string) {
  const { headers } = await createTestSession(storage, team, 'owner')
  const reply = await fetch(`${url}/internal/account`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ timezone }),
  })
  assert.equal(reply.status, 200)
}

/** What a command prints on stderr with --json when it fails. */
async function failure(
  words: string[],
  options: Parameters<typeof owner.run>[1] = {},
  machine = owner,
) {
  const { code, stdout, stderr } = await machine.run([...words, '--json'], options)
  assert.equal(stdout, '')
  const { error }: { error: Record<string, unknown> } = JSON.parse(stderr)
  return { exit: code, code: error.code, message: String(error.message), error }
}

test('login stores a checked key that only this person can read, and logout forgets it', async () => {
  const machine = createClientMachine()
  const missing = await machine.run(['whoami'])
  assert.equal(missing.code, 3)
  assert.match(missing.stderr, /Run docket login/)
  const login = (key: string, ...more: string[]) =>
    machine.run(['login', '--url', url, '--key-stdin', ...more], { input: `${key}\n` })
  assert.equal((await login('a password')).code, 2)
  assert.equal((await login('dkt_0123456789ABCDEFGHIJKLMNOPQRSTUV2Va8Dp')).code, 3)
  assert.equal(existsSync(machine.configFile), false)

  const { code, stdout, stderr } = await login(team.keys.owner)
  assert.deepEqual([code, stdout], [0, `You are The owner (owner) in Test at ${url}.\n`])
  assert.ok(!(stdout + stderr).includes(team.keys.owner))
  assert.equal(statSync(machine.configFile).mode & 0o777, 0o600)
  assert.equal((await login(team.keys.guest, '--profile', 'guest')).code, 0)
  const whoami = await machine.json<{ user: Member; scopes: string[] }>('whoami')
  assert.deepEqual([whoami.user.id, whoami.scopes.length], [team.people.owner, SCOPES.length])
  assert.match(await machine.text('whoami', '--profile', 'guest'), /The guest/)
  const asGuest = await machine.run(['whoami'], { env: { DOCKET_PROFILE: 'guest' } })
  assert.match(asGuest.stdout, /The guest/)
  const asMember = await machine.run(['whoami'], { env: { DOCKET_KEY: team.keys.member } })
  assert.match(asMember.stdout, /The member/)

  // The key that is stored for one server is not sent to another.
  const other = await machine.run(['whoami'], { env: { DOCKET_URL: 'http://127.0.0.1:1' } })
  assert.deepEqual([other.code, other.stdout], [3, ''])
  assert.match(other.stderr, /not signed in to http:\/\/127\.0\.0\.1:1/)

  assert.match(await machine.text('logout'), /The key remains valid/)
  assert.equal((await machine.run(['whoami'])).code, 3)
  assert.match(await machine.text('whoami', '--profile', 'guest'), /The guest/)
})

test('a list says how many there are, goes on with --all and at a cursor, and needs no terminal', async () => {
  for (let at = 1; at <= 3; at += 1) await newTask(`Paint wall ${at}`)
  const { stdout, stderr } = await owner.run(['list', '--project', 'eng', '--limit', '2'])
  const rows = stdout.split('\n').slice(0, -1)
  assert.equal(rows.length, 2)
  assert.match(rows[0] ?? '', /^ENG-\d+\ttodo\t[^\t]+\t\t\t$/)
  const count = (await owner.text('list', '-P', 'ENG', '--all')).split('\n').length - 1
  assert.equal(stderr, `2 of ${count}, more with --all\n`)
  const search = await owner.run(['search', 'paint', 'wall', '--limit', '1'])
  assert.equal(search.stderr, '1 shown, more with --all\n')
  assert.deepEqual(await owner.run(['search', 'nonexistent']), {
    code: 0,
    stdout: '',
    stderr: 'No tasks.\n',
  })

  const first = JSON.parse(await owner.text('list', '-P', 'ENG', '--limit', '2', '--json'))
  assert.deepEqual(Object.keys(first), ['data', 'next_cursor', 'total'])
  assert.deepEqual([first.data.length, first.total], [2, count])
  const next = await owner.json<Task[]>('list', '-P', 'ENG', '--cursor', first.next_cursor)
  assert.equal(next.length, count - 2)
  const all = JSON.parse(await owner.text('search', 'paint', '--all', '--json'))
  assert.deepEqual([Object.keys(all), all.data.length], [['data'], 3])
  assert.equal(await owner.text('search', 'nonexistent', '--json'), '{"data":[]}\n')

  const colored = await owner.text('list', '-P', 'ENG', '--limit', '1', '--color', 'always')
  assert.ok(colored.startsWith('\u001b[36mENG-'), colored)

  assert.match((await owner.run(['list', '--limit', '201'])).stderr, /from 1 to 200/)
  assert.deepEqual(await owner.json('list', '-P', 'ENG', '-s', 'In review', '--mine'), [])
  const none = await failure(['list', '-P', 'nowhere'])
  assert.deepEqual([none.exit, none.code], [1, 'not_found'])
})

test('a reader that ends early ends a list quietly', async () => {
  for (let at = 0; at < 3; at += 1) {
    const operations = Array.from({ length: 100 }, (_, at) => ({
      op: 'create',
      data: { project_id: team.hidden, title: `${'Long '.repeat(20)}${at}` },
    }))
    await post('/tasks/bulk', { operations })
  }
  for (const words of [
    ['list', '-P', 'HID', '--all'],
    ['api', 'GET', '/tasks', '--paginate'],
  ]) {
    const child = owner.start(words)
    const { ended } = collectOutput(child)
    child.stdout.once('data', () => child.stdout.destroy())
    const { code, stderr } = await ended
    assert.deepEqual([code, stderr], [0, ''], words.join(' '))
  }
})

test('--paginate prints JSON also if a later page is empty', async () => {
  const marker = 'Vanishing'
  const operations = Array.from({ length: 11 }, (_, at) => ({
    op: 'create',
    data: { project_id: team.hidden, title: `${marker} ${at}`, description: 'Long '.repeat(8_000) },
  }))
  await post('/tasks/bulk', { operations })
  const path = `/tasks?q=${marker}&sort=created_at&limit=10`
  const child = owner.start(['api', 'GET', path, '--paginate'])
  // The first page is larger than the pipe, so the second is not requested before this is read.
  await once(child.stdout, 'readable')
  const tasks = await owner.json<Task[]>('api', 'GET', `/tasks?q=${marker}&sort=created_at`)
  await post(`/tasks/${tasks.at(-1)?.id}`, {}, 'DELETE')
  const { data } = JSON.parse(await readAll(child.stdout))
  assert.deepEqual(
    data.map(({ id }: Task) => id),
    tasks.slice(0, -1).map(({ id }) => id),
  )
})

test('creates, edits, moves and completes a task, and undoes all of it in turn', async () => {
  const fields = ['-P', 'ENG', '-p', 'high', '--estimate', '1h30m', '--assignee', 'me']
  const made = await owner.json<Task>('create', 'Fix', 'the', 'login', ...fields)
  const { id, short_id } = made
  assert.partialDeepStrictEqual(made, {
    title: 'Fix the login',
    priority: 'high',
    estimate_seconds: 5400,
    assignee_ids: [team.people.owner],
  } as object)

  const due = ['--due', '2027-03-01', '-d', 'Since Monday.', '--unassign', 'The owner']
  const edited = await owner.json<Task>('edit', short_id, '-t', 'Fix login', ...due)
  assert.deepEqual(
    [edited.title, edited.due_date, edited.description, edited.assignee_ids],
    ['Fix login', '2027-03-01', 'Since Monday.', []],
  )
  assert.match(await owner.text('move', short_id, 'In', 'progress'), /moved to In progress/)
  assert.match(await owner.text('move', short_id, '--to', 'HID'), /^ENG-\d+ is now HID-\d+: /)
  assert.match(await owner.text('done', id), /^HID-\d+ done: Fix login\n$/)
  assert.match(await owner.text('done', id), /nothing to change/)

  const read = () => owner.json<Task>('show', id)
  const undone: unknown[] = []
  for (let at = 0; at < 4; at += 1) {
    await owner.text('undo')
    const { status, project_id, title, due_date, assignee_ids } = await read()
    undone.push([status, project_id === team.project, title, due_date, assignee_ids.length])
  }
  assert.deepEqual(undone, [
    ['in_progress', false, 'Fix login', '2027-03-01', 0],
    ['in_progress', true, 'Fix login', '2027-03-01', 0],
    ['todo', true, 'Fix login', '2027-03-01', 0],
    ['todo', true, 'Fix the login', null, 1],
  ])
  assert.equal(
    await owner.text('undo', '-n'),
    'Dry run, nothing was changed: task.created “Fix the login” undone\n',
  )
  assert.equal((await read()).title, 'Fix the login')
  assert.equal(await owner.text('undo'), 'task.created “Fix the login” undone\n')
  assert.equal((await failure(['show', id])).code, 'not_found')
})

/** A computer whose key has done nothing yet, with every scope if none are named. */
async function createNewMachine(scopes: readonly Scope[] = SCOPES) {
  const key = await createScopedKey(storage, team, 'owner', [...scopes])
  return createClientMachine({ DOCKET_URL: url, DOCKET_KEY: key })
}

test('undo takes back what its key has done, also by a raw request, and nothing else', async () => {
  const machine = await createNewMachine()
  assert.equal(await machine.text('undo', '--json'), '{"data":null}\n')
  const task = await newTask('Raw')
  await machine.text('comment', task.short_id, 'Before')
  await machine.text('api', 'PATCH', `tasks/${task.id}`, '-d', '{"title":"Cooked"}')
  await newTask('Of another key')
  assert.equal(await machine.text('undo'), 'task.updated “Cooked” undone\n')
  const { undone } = await machine.json<UndoResult>('undo')
  assert.deepEqual(
    undone.map(({ record_type }) => record_type),
    ['comment'],
  )
  const { title, comment_count } = await getTask(docket, task.id)
  assert.deepEqual([title, comment_count], ['Raw', 0])
  assert.equal(await machine.text('undo'), 'There is nothing to undo.\n')
})

test('undo --rest keeps what somebody else has changed since', async () => {
  const machine = await createNewMachine()
  const task = await newTask('Contested')
  const words = ['edit', task.short_id, '-t', 'Changed', '-p', 'low']
  await machine.text(...words)
  await post(`/tasks/${task.id}`, { title: 'Changed meanwhile' }, 'PATCH')
  const read = async () => {
    const { title, priority } = await getTask(docket, task.id)
    return [title, priority]
  }
  const conflict = await failure(['undo'], {}, machine)
  assert.deepEqual([conflict.exit, conflict.code], [4, 'changed_since'])
  assert.match(conflict.message, /nothing was undone\. .* docket undo --rest/)
  assert.deepEqual(await read(), ['Changed meanwhile', 'low'])
  assert.equal(
    await machine.text('undo', '--rest'),
    `task.updated “Changed” undone\nLeft: ${task.id} title It was changed since.\n`,
  )
  assert.deepEqual(await read(), ['Changed meanwhile', 'none'])

  // The undo is an operation itself, and its undo the redo.
  const [undo] = await listTaskOperations(docket, task.id, {}).toArray()
  await machine.text('undo', undo?.id ?? '')
  assert.deepEqual(await read(), ['Changed meanwhile', 'low'])
})

test('undo --rest says so if it leaves everything', async () => {
  const machine = await createNewMachine()
  const task = await newTask('Overwritten')
  await machine.text('edit', task.short_id, '-p', 'low')
  await post(`/tasks/${task.id}`, { priority: 'high' }, 'PATCH')
  assert.equal(
    await machine.text('undo', '--rest'),
    `Nothing was undone\nLeft: ${task.id} priority It was changed since.\n`,
  )
})

test('undo deletes no task, time or comment that has been changed since', async () => {
  const machine = await createNewMachine()
  const assertRefused = async () => {
    const refusal = await failure(['undo'], {}, machine)
    assert.deepEqual([refusal.exit, refusal.code], [4, 'changed_since'])
  }
  const file = { filename: 'plan.txt' }
  const additions: ((task: Task) => Promise<unknown>)[] = [
    ({ id }) => createComment(docket, id, { body: 'Mine' }),
    ({ id }) => createTimeEntry(docket, id, { duration_seconds: 60 }),
    ({ id }) => uploadAttachment(docket, id, 'Plan', file),
    ({ id, project_id }) => createTask(docket, { project_id, title: 'Part', parent_id: id }),
  ]
  for (const add of additions) {
    const task = await machine.json<Task>('create', 'Grown', '-P', 'ENG')
    await add(task)
    await assertRefused()
    assert.equal((await getTask(docket, task.id)).deleted_at, null)
  }

  const task = await newTask('Timed')
  const entry = await machine.json<{ id: string }>('log', '1h', task.short_id)
  await updateTimeEntry(docket, entry.id, { note: 'Corrected' })
  await assertRefused()
  const comment = await machine.json<{ id: string }>('comment', task.short_id, 'Before')
  await post(`/comments/${comment.id}`, { body: 'After' }, 'PATCH')
  await assertRefused()
  const { time_spent_seconds, comment_count } = await getTask(docket, task.id)
  assert.deepEqual([time_spent_seconds, comment_count], [3600, 1])
})

test('undo says what a key may not do, and undoes an earlier operation by its id', async () => {
  const scopes = ['tasks:read', 'tasks:write', 'projects:read'] as const
  const machine = await createNewMachine(scopes)
  const task = await newTask('Scoped')
  const [created] = await listOperations(docket, {}).toArray()
  const noTimer = await failure(['start', task.short_id, '--no-branch'], {}, machine)
  assert.equal(noTimer.code, 'insufficient_scope')
  assert.equal((await getTask(docket, task.id)).status, 'in_progress')
  // What it has created itself it may take back.
  await machine.text('create', 'Mistaken', '-P', 'ENG')
  await machine.text('undo')
  const refusal = await failure(['undo', created?.id ?? ''], {}, machine)
  assert.deepEqual([refusal.exit, refusal.code], [1, 'insufficient_scope'])
  assert.match(refusal.message, /scope tasks:delete/)
  const [started] = await listTaskOperations(docket, task.id, {}).toArray()
  await machine.text('undo', started?.id ?? '')
  assert.equal((await getTask(docket, task.id)).status, 'todo')
})

test('--dry-run changes nothing and leaves nothing to undo', async () => {
  const machine = await createNewMachine()
  const task = await newTask('Left alone')
  const commands = [
    ['create', 'Nothing', '-P', 'ENG'],
    ['edit', task.short_id, '-t', 'Nothing'],
    ['move', task.short_id, 'done'],
    ['done', task.short_id],
    ['comment', task.short_id, 'Nothing'],
    ['log', '1h', task.short_id],
    ['start', task.short_id, '--no-branch'],
  ]
  for (const words of commands) {
    const result = JSON.parse(await machine.text(...words, '--dry-run', '--json'))
    assert.deepEqual(Object.keys(result), ['data', 'dry_run'], words.join(' '))
    assert.match(await machine.text(...words, '-n'), /^Dry run, nothing was changed: /)
  }
  const raw = ['api', 'DELETE', `/tasks/${task.id}`, '-n', '--json']
  const [request] = (await machine.json<{ requests: object[] }>(...raw)).requests
  assert.deepEqual(request, { method: 'DELETE', path: `/api/v1/tasks/${task.id}` })
  const read = await machine.text('api', 'GET', '/tasks?q=a', '--paginate', '-n')
  assert.equal(read, 'Dry run, nothing was changed. It would send:\nGET /api/v1/tasks?q=a\n')
  const after = await machine.json<Task>('show', task.short_id)
  assert.deepEqual([after.version, after.comment_count, after.time_spent_seconds], [1, 0, 0])
  assert.equal((await machine.json<Task[]>('search', 'Nothing')).length, 0)
  assert.equal(await machine.text('undo'), 'There is nothing to undo.\n')
  assert.match((await machine.run(['list', '--dry-run'])).stderr, /Unknown option '--dry-run'/)
})

test('start makes the git branch of a task, whose commands then need no argument', async () => {
  const task = await newTask('Über-Users: fix the "login" page (now!) and more words than fit')
  const other = await newTask('Another')
  const repository = join(owner.home, 'repository')
  mkdirSync(repository)
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: repository, env: owner.env, encoding: 'utf8' }).trim()
  git('init', '-q', '-b', 'main')
  const here = async (...words: string[]) => {
    const result = await owner.run(words, { cwd: repository })
    assert.equal(result.code, 0, result.stderr)
    return result.stdout
  }
  const lost = await owner.run(['show'], { cwd: repository })
  assert.equal(lost.code, 2)
  assert.match(lost.stderr, /Give a task such as ENG-42/)

  const branch = `${task.short_id.toLowerCase()}-uber-users-fix-the-login-page-now-and`
  await here('start', task.short_id, '--dry-run')
  assert.equal(git('branch', '--show-current'), 'main')
  const started = JSON.parse(await here('start', task.short_id, '--json')).data
  assert.deepEqual(
    [started.branch, started.task.status, started.timer.is_running],
    [branch, 'in_progress', true],
  )
  assert.equal(git('branch', '--show-current'), branch)
  assert.match(await here('show'), /^ENG-\d+ {2}Über-Users/)
  assert.match(await here('comment', 'Found', 'it'), /^Commented on ENG-\d+/)
  assert.match(await here('log', '45m', 'looked', 'around', '--on', '2027-01-05'), /^45m logged/)
  const [entry] = JSON.parse(
    await here('api', 'GET', `/tasks/${task.id}/time-entries?running=false`),
  ).data
  assert.deepEqual([entry.note, entry.spent_on], ['looked around', '2027-01-05'])
  const stopped = JSON.parse(await here('stop', '--json')).data
  assert.deepEqual([stopped.id, stopped.is_running], [started.timer.id, false])
  assert.equal(await here('stop'), 'No timer is running.\n')

  // The start is two operations: the status and the timer.
  for (let at = 0; at < 5; at += 1) assert.match(await here('undo'), / undone\n$/)
  assert.equal((await owner.json<Task>('show', task.id)).status, 'todo')
  const left = await owner.text('api', 'GET', `/tasks/${task.id}/time-entries`)
  assert.deepEqual(JSON.parse(left).data, [])

  // Without a commit git has no branches to switch between.
  writeFileSync(join(repository, 'file'), 'one')
  git('add', '.')
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-qm', 'One')
  await post(`/tasks/${task.id}`, { title: 'Renamed' }, 'PATCH')
  await here('start', other.short_id, '--no-timer')
  await here('start', task.short_id, '--no-timer')
  assert.equal(git('branch', '--show-current'), branch)
  const ownBranch = `ada/${task.short_id}`
  git('switch', '-q', '-c', ownBranch)
  await here('start', task.short_id, '--no-timer')
  assert.equal(git('branch', '--show-current'), ownBranch)
  git('switch', '-q', `${other.short_id.toLowerCase()}-another`)
  writeFileSync(join(repository, 'file'), 'two')
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-qam', 'Two')
  writeFileSync(join(repository, 'file'), 'three')
  const refused = await owner.run(['start', task.short_id], { cwd: repository })
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /git cannot switch to eng-/)
  assert.equal(
    JSON.parse(await here('api', 'GET', `/tasks/${task.id}/time-entries`)).data.length,
    0,
  )
})

test('only the short id of a task in a branch is one, and start finds the branch of the remote', async () => {
  const task = await newTask('Third task')
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
  const by = { created_by_id: team.people.owner }
  const data = await storage.write(actor, (tx) =>
    createProjectRow(tx, { name: 'Data platform', prefix: 'DP', ...by }),
  )
  const remote = join(owner.home, 'remote')
  const clone = join(owner.home, 'clone')
  const git = (cwd: string, ...words: string[]) =>
    execFileSync('git', words, { cwd, env: owner.env, encoding: 'utf8' }).trim()
  mkdirSync(remote)
  git(remote, 'init', '-q', '-b', 'main')
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  git(remote, ...author, 'commit', '-q', '--allow-empty', '-m', 'One')
  const ofTask = `${task.short_id.toLowerCase()}-third-task`
  git(remote, 'branch', ofTask)
  git(remote, 'update-ref', `refs/heads/-f/${task.short_id}`, 'HEAD')
  git(owner.home, 'clone', '-q', remote, clone)
  const run = (...words: string[]) => owner.run(words, { cwd: clone })

  assert.equal((await run('start', task.short_id, '--no-timer')).code, 0)
  assert.equal(git(clone, 'branch', '--show-current'), ofTask)
  assert.equal(git(clone, 'rev-parse', '--abbrev-ref', '@{upstream}'), `origin/${ofTask}`)
  assert.match((await run('show')).stdout, /Third task/)
  git(clone, 'switch', '-q', 'main')
  git(clone, 'branch', '-q', '-D', ofTask)
  git(clone, 'update-ref', '-d', `refs/remotes/origin/${ofTask}`)
  git(clone, 'update-ref', `refs/heads/-f/${task.short_id}`, 'HEAD')
  assert.equal((await run('start', task.short_id, '--no-timer')).code, 0)
  assert.equal(git(clone, 'branch', '--show-current'), `-f/${task.short_id}`)

  for (const branch of ['release-2.0', 'release-2', 'data-2024-migration']) {
    git(clone, 'switch', '-q', '-c', branch)
    assert.match((await run('show')).stderr, /the git branch is not that of a task/)
    assert.match((await run('create', 'Where')).stderr, /Which project|Give --project/)
    assert.equal((await run('prime')).code, 0)
  }
  git(clone, 'switch', '-q', '-c', 'release-3/dp-1-move')
  const { stdout } = await run('create', 'There', '--json')
  assert.equal(JSON.parse(stdout).data.project_id, data)
  for (const [title, name] of [
    ['Straße für Øre, Łódź & Þing', 'eng-1-strasse-fur-ore-lodz-thing'],
    ['日本語', 'eng-1'],
    ['İstanbul ığdır', 'eng-1-istanbul-igdir'],
  ] as const) {
    assert.equal(branchNameOf('ENG-1', title), name)
  }
})

test('days are those of the person in Docket, and time is logged and summed up looking back', async () => {
  for (const [today, word, next, last] of [
    ['2026-11-30', 'monday', '2026-12-07', '2026-11-30'],
    ['2026-11-30', 'friday', '2026-12-04', '2026-11-27'],
    ['2026-12-31', 'tomorrow', '2027-01-01', '2027-01-01'],
  ] as const) {
    assert.deepEqual([dayFrom(today, word, 'next'), dayFrom(today, word, 'last')], [next, last])
  }
  const task = await newTask('Days')
  // No moment is on the same day in both: they are 25 hours apart.
  const env = { TZ: 'Pacific/Pago_Pago' }
  await setTimezone('Pacific/Kiritimati')
  const run = async <T>(...words: string[]): Promise<T> => {
    const { stdout, stderr } = await owner.run([...words, '--json'], { env })
    assert.equal(stderr, '')
    return JSON.parse(stdout).data
  }
  const entry = await run<{ spent_on: string }>('log', '5m', task.short_id)
  const named = await run<{ spent_on: string }>('log', '5m', task.short_id, '--on', 'today')
  const due = await run<Task>('edit', task.short_id, '--due', 'today')
  // A test at midnight may see two days, but none of the computer.
  assert.deepEqual([named.spent_on >= entry.spent_on, due.due_date], [true, named.spent_on])
  const friday = await run<{ spent_on: string }>('log', '5m', task.short_id, '--on', 'friday')
  assert.ok(friday.spent_on <= named.spent_on)
  assert.equal(new Date(friday.spent_on).getUTCDay(), 5)
  const range = ['--from', 'monday', '--until', 'today'] as const
  const report = await run<{ total: { seconds: number } }>('report', ...range)
  assert.ok(report.total.seconds >= 600)
  await run('report', '--from', 'monday', '--until', 'sunday')

  await post(
    `/tasks/${task.id}`,
    { due_date: '2026-12-24', due_at: '2026-12-24T13:30:00.000Z' },
    'PATCH',
  )
  const blocker = await newTask('Blocker')
  await post(`/tasks/${task.id}`, { blocked_by_ids: [blocker.id] }, 'PATCH')
  const mention = `<@${team.people.member}>`
  await post(`/tasks/${task.id}/comments`, { body: `Said to ${mention}` })
  await post(`/tasks/${task.id}`, { description: `Ask ${mention}` }, 'PATCH')
  const shown = await owner.text('show', task.short_id)
  assert.match(shown, /^Ask @The member$/m)
  assert.match(shown, /^Said to @The member$/m)
  assert.match(
    await owner.text('prime', task.short_id),
    /Days are those of Pacific\/Kiritimati\.$/m,
  )
  assert.match(shown, /^Due +2026-12-25 03:30 GMT\+14$/m)
  assert.match(shown, new RegExp(`^Blocked by +${blocker.short_id}$`, 'm'))
  assert.match(shown, /^The owner, \d{4}-\d\d-\d\d \d\d:\d\d GMT\+14$/m)
})

test('an empty pipe deletes nothing, and an empty text does', async () => {
  const task = await newTask('Described')
  const words = ['edit', task.short_id, '-d']
  assert.equal((await owner.run([...words, '-'], { input: 'Important\n' })).code, 0)
  for (const input of ['', ' \n']) {
    for (const command of [
      [...words, '-'],
      ['comment', task.short_id, '-'],
      ['create', 'x', '-P', 'ENG', '-d', '-'],
    ]) {
      const { code, stderr } = await owner.run(command, { input })
      assert.deepEqual([code, /Nothing came on standard input/.test(stderr)], [2, true], stderr)
    }
  }
  assert.match((await getTask(docket, task.id)).description ?? '', /^Important/)
  await owner.text(...words, '')
  assert.equal((await getTask(docket, task.id)).description, null)
})

const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be printed
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200f\u202a-\u202e\u2066-\u2069]/

test('no text of a server controls the terminal, and JSON keeps its value', async (t) => {
  const evil = 'a\u0000\u001b[31mb\u007f\u0085\u009b2J\u061c\u200f\u202ec\u2066\u2069'
  const record = {
    ...{ id: evil, short_id: evil, title: evil, name: evil, status: evil, url: evil },
    ...{
      role: evil,
      email: evil,
      timezone: 'UTC',
      prefix: evil,
      priority: evil,
      description: evil,
    },
    ...{ assignee_ids: [evil], tag_ids: [], blocked_by_ids: [], due_date: evil, due_at: null },
    ...{ parent_id: null, start_date: evil, statuses: [], estimate_seconds: null, body: evil },
    ...{ project_id: 'prj_1', author: { name: evil }, created_at: '2026-01-01T00:00:00.000Z' },
    ...{ scopes: [evil], time_spent_seconds: 0, comment_count: 1, task_counts: {}, version: 1 },
  }
  const page = { data: [record], next_cursor: null, has_more: false }
  const replies: Record<string, object> = {
    '/api/v1/me': { user: record, workspace: record, credential: record },
    '/api/v1/tasks/ENG-1': record,
    '/api/v1/projects/prj_1': record,
    '/api/v1/tasks': page,
    '/api/v1/members': page,
    '/api/v1/projects': { ...page, data: [record, record] },
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    if (pathname === '/api/v1/text') return response.end(evil)
    const isList = pathname.endsWith('/comments')
    const reply = replies[pathname] ?? (isList ? page : undefined)
    const error = { code: evil, message: evil, details: [{}, { field: evil, message: evil }] }
    response.writeHead(reply ? 200 : 422, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply ?? { error }))
  })
  const port = await listenUntilEnd(t, server)
  const machine = createClientMachine({
    DOCKET_URL: `http://127.0.0.1:${port}`,
    DOCKET_KEY: 'dkt_x',
  })
  for (const words of [
    ['whoami'],
    ['show', 'ENG-1'],
    ['prime', 'ENG-1'],
    ['list'],
    ['list', '--color', 'always'],
    ['open', 'ENG-1'],
    ['create', 'x'],
    ['done', 'ENG-1'],
    ['api', 'GET', '/me'],
    ['api', 'GET', '/tasks', '--paginate'],
  ]) {
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await machine.run([...words, ...more])
      // The colors that the command line itself has for these.
      const own = ['\u001b[36m', '\u001b[2m', '\u001b[0m']
      const printed = own.reduce((text, code) => text.replaceAll(code, ''), stdout + stderr)
      assert.doesNotMatch(printed, CONTROLS, words.join(' '))
      assert.match(printed, /[ab].*[bc]/, words.join(' '))
    }
  }
  assert.equal((await machine.json<{ scopes: string[] }>('whoami')).scopes[0], evil)
  assert.equal(JSON.parse(await machine.text('api', 'GET', '/me')).user.name, evil)
  // A file that a program reads, or that goes into another file, keeps its bytes.
  assert.equal(await machine.text('api', 'GET', '/text'), evil)
})

test('only this computer is reached without encryption unless the address says so', () => {
  for (const [text, origin] of [
    ['localhost:3000', 'http://localhost:3000'],
    ['docket.localhost', 'http://docket.localhost'],
    ['127.3.2.1', 'http://127.3.2.1'],
    ['[::1]:3000', 'http://[::1]:3000'],
    ['localhost.evil.example', 'https://localhost.evil.example'],
    ['127.evil.example', 'https://127.evil.example'],
    ['127.0.0.1.evil.example:80', 'https://127.0.0.1.evil.example:80'],
    ['docket.example.com', 'https://docket.example.com'],
    ['http://10.0.0.5:8080', 'http://10.0.0.5:8080'],
  ] as const) {
    assert.equal(parseOrigin(text, '--url'), origin)
  }
  for (const text of ['localhost@evil.example', 'ftp://localhost', 'localhost\\@evil.example']) {
    assert.throws(() => parseOrigin(text, '--url'), /--url must be an address/)
  }
})

test('report sums up time by groups, for people, as CSV and as JSON', async () => {
  const task = await newTask('Billed')
  await owner.text('log', '1h30m', task.short_id, '--on', '2026-02-03', '--billable')
  await owner.text('log', '30m', task.short_id, '--on', '2026-02-04')
  const range = ['--from', '2026-02-01', '--until', '2026-03-01']
  assert.deepEqual(await owner.run(['report', ...range, '-P', 'ENG', '--mine']), {
    code: 0,
    stdout: 'The owner\tEngineering\t2h\t1h 30m\n',
    stderr: '2h from 2026-02-01 to before 2026-03-01\n',
  })
  const byDay = await owner.text('report', ...range, '--by', 'day,task')
  const id = task.short_id
  assert.equal(byDay, `2026-02-03\t${id}\t1h 30m\t1h 30m\n2026-02-04\t${id}\t30m\t0s\n`)
  const csv = await owner.text('report', ...range, '--by', 'project', '--csv')
  assert.match(csv, /^project_id,project_name,seconds.*\r?\nprj_\w+,Engineering,7200,/)
  const { total } = await owner.json<{ total: { seconds: number } }>('report', ...range)
  assert.equal(total.seconds, 7200)
  const none = await owner.text('report', '--from', '2026-01-01', '--until', '2026-01-02')
  assert.equal(none, 'No time.\n')
  const other = await newTask('Other')
  await owner.text('start', id, '--no-branch')
  // A second start does not split the time.
  await owner.text('start', id, '--no-branch')
  assert.equal((await listTaskTimeEntries(docket, id).toArray()).length, 3)
  assert.equal((await failure(['stop', other.short_id])).code, 'other_timer')
  assert.match(await owner.text('stop', id), new RegExp(`^${id} stopped after \\d+s\\n$`))
})

test('exit codes and errors are the same for people and programs', async () => {
  const task = await newTask('Codes')
  const cases: [string[], number, string][] = [
    [['show', 'ENG-9999'], 1, 'not_found'],
    [['edit', task.short_id, '--due', 'someday'], 2, 'usage'],
    [['log', '1h', '30m', task.short_id], 2, 'usage'],
    [['api', 'GET', '/tasks', '-d', '{}'], 2, 'usage'],
    [['edit', task.short_id, '--due', '2026-02-30'], 2, 'usage'],
    [['report', '--from', '2026-13-45', '--until', 'friday'], 2, 'usage'],
    [['edit', task.short_id, '--title', ''], 1, 'validation_failed'],
    [['edit', task.short_id, '--parent', '.'], 1, 'not_found'],
    [['edit', task.short_id, '--parent', ''], 1, 'not_found'],
    [['show', task.short_id, 'more'], 2, 'usage'],
    [['edit', task.short_id], 2, 'usage'],
    [['edit', task.short_id, '--priority', 'extreme'], 2, 'usage'],
    [['log', 'soon', task.short_id], 2, 'usage'],
    [['create'], 2, 'usage'],
    [['frobnicate'], 2, 'usage'],
    [['api', 'POST', '/tasks', '-d', '{'], 2, 'usage'],
    [['api', 'GET', '/changes', '--paginate'], 1, 'not_a_list'],
    [['report', '--by', 'weather'], 2, 'usage'],
  ]
  for (const [words, exit, code] of cases) {
    const found = await failure(words)
    assert.deepEqual([found.exit, found.code], [exit, code], words.join(' '))
    const { code: plain, stderr } = await owner.run(words)
    assert.equal(plain, exit)
    assert.ok(stderr.startsWith(`docket: ${found.message}`), stderr)
  }
  assert.ok(!(await owner.run(['show', 'ENG-1', '\u001b[31mred'])).stderr.includes('\u001b'))
  const friday = await owner.json<Task>('edit', task.short_id, '--due', 'friday', '--dry-run')
  assert.equal(new Date(friday.due_date ?? '').getUTCDay(), 5)
  const { error } = await failure(['edit', task.short_id, '--title', ''])
  assert.deepEqual(Object.keys(error), [
    'code',
    'message',
    'status',
    'details',
    'request_id',
    'doc_url',
  ])
  const quoted = await failure(['list'], { env: { DOCKET_KEY: '“dkt_wrong”' } })
  assert.deepEqual([quoted.exit, quoted.code], [2, 'usage'])
  const wrong = await failure(['list'], { env: { DOCKET_KEY: 'dkt_wrong' } })
  assert.deepEqual([wrong.exit, wrong.code], [3, 'invalid_token'])
  const key = await createScopedKey(storage, team, 'owner', ['tasks:read', 'projects:read'])
  const limited = await failure(['done', task.short_id], { env: { DOCKET_KEY: key } })
  assert.deepEqual([limited.exit, limited.code], [1, 'insufficient_scope'])
  assert.match(limited.message, /scope tasks:write under Settings/)
  for (const words of [['list'], ['show', task.short_id]]) {
    const { code, stdout } = await owner.run(words, { env: { DOCKET_KEY: key } })
    assert.deepEqual([code, stdout.includes('Codes')], [0, true], words.join(' '))
  }
})

test('never asks without a terminal, but says which option answers', async () => {
  const machine = createClientMachine()
  const cases: [string[], RegExp][] = [
    [['login'], /Give --url/],
    [['login', '--url', url], /Give --key-stdin/],
    [['login', '--url', url, '--key'], /Give --key-stdin/],
  ]
  for (const [words, message] of cases) {
    const { code, stdout, stderr } = await machine.run(words)
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, message)
  }
  const { code, stderr } = await owner.run(['create', 'Somewhere'])
  assert.equal(code, 2)
  assert.match(stderr, /Give --project/)
})

test('no command prints the key or a secret that is stored', async () => {
  const task = await newTask('Secret')
  const machine = createClientMachine()
  const words = ['login', '--url', url, '--key-stdin', '--json']
  const key = team.keys.member
  const outputs = [await machine.run(words, { input: key })]
  for (const words of [
    ['whoami'],
    ['prime', task.short_id],
    ['list', '--json'],
    ['api', 'GET', '/me'],
    ['show', 'ENG-9999', '--json'],
    ['events', 'follow'],
    ['edit', task.short_id, '-p', 'low'],
    ['undo'],
    ['logout'],
  ]) {
    outputs.push(
      await machine.run(words),
      await machine.run(words, { env: { DOCKET_KEY: key, DOCKET_URL: url } }),
    )
  }
  const all = outputs.map(({ stdout, stderr }) => stdout + stderr).join('')
  assert.ok(all.includes('The member'))
  assert.ok(!all.includes(key.slice(0, 20)))
})

test('prime tells a program the task, the rules of its project and what it may do', async () => {
  const task = await newTask('Prime')
  await post(`/tasks/${task.id}/comments`, { body: 'Mind \u202ethe gap' })
  await post(`/projects/${team.project}/tags`, { name: 'primed' })
  const text = await owner.text('prime', task.short_id)
  for (const part of [
    `# ${task.short_id}: Prime`,
    'You act as The owner (owner, usr_',
    'tasks:write',
    'Mind the gap',
    '- in_progress: In progress (started)',
    'Tags: primed',
    '- The member <',
    '- docket done [TASK]: Complete a task',
    'Exit codes: 0 done',
  ]) {
    assert.ok(text.includes(part), `${part} is not in ${text}`)
  }
  const data = await owner.json<Record<string, unknown>>('prime', task.short_id)
  assert.deepEqual(Object.keys(data), [
    'me',
    'task',
    'comments',
    'project',
    'tags',
    'members',
    'commands',
  ])
  const key = await createScopedKey(storage, team, 'member', ['tasks:read', 'projects:read'])
  const limited = await owner.run(['prime', task.short_id, '--json'], { env: { DOCKET_KEY: key } })
  assert.deepEqual(JSON.parse(limited.stdout).data.members, [])
})
