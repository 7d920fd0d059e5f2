import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isScriptInstalled, openPseudoTerminal } from '../support/services/script.ts'
import { CLIENT_ENTRY, createClientMachine, startDocketForClients } from './client-machine.ts'

type Machine = ReturnType<typeof createClientMachine>

/** Runs a command in a terminal of this width. */
function openTerminal({ env, home }: Machine, words: string[], columns = 80, more = {}) {
  const command = [process.execPath, CLIENT_ENTRY, ...words].map((word) => `'${word}'`).join(' ')
  const sized = `stty cols ${columns} rows 24; ${command}`
  return openPseudoTerminal(sized, { ...env, TERM: 'xterm', PAGER: 'cat', ...more }, home)
}

if (isScriptInstalled) {
  test('a table fits into 40 columns, in colors unless NO_COLOR is set', async () => {
    const { owner, team, post } = await startDocketForClients()
    const title = 'Übersetze 日本語のタイトル for the très long page of the shop'
    await post('/tasks', { project_id: team.project, title, priority: 'urgent' })
    const plain = openTerminal(owner, ['list'], 40, { NO_COLOR: '1' })
    assert.equal(await plain.end(), 0)
    const [head, row] = plain.screen().split('\n')
    assert.equal(head, 'ID     STATUS  TITLE')
    assert.equal(row, 'ENG-1  todo    Übersetze 日本語のタイト…')
    const narrow = openTerminal(owner, ['show', 'ENG-1'], 24, { NO_COLOR: '1' })
    await narrow.end()
    assert.deepEqual(narrow.screen().split('\n').slice(0, 5), [
      'ENG-1  Übersetze',
      '日本語のタイトル for the',
      'très long page of the',
      'shop',
      '',
    ])
    const done = openTerminal(owner, ['done', 'ENG-1', '-n'], 24)
    await done.end()
    assert.match(done.screen(), /^Dry run, nothing was\nchanged: ENG-1 done:\n/)
    const colored = openTerminal(owner, ['list'], 90)
    await colored.end()
    assert.ok(colored.screen().includes('\u001b[31murgent'))
    const uncolored = openTerminal(owner, ['list', '--color', 'never'], 90)
    await uncolored.end()
    assert.ok(!uncolored.screen().includes('\u001b'))
    await post('/tasks', { project_id: team.project, title: 'Two' })
    const page = openTerminal(owner, ['list', '-P', 'ENG', '--limit', '1'], 40)
    await page.end()
    assert.match(page.screen(), /1 of 2, more with --all/)
  })

  test('a report by two groups has a subtotal for each first one of several rows', async () => {
    const { owner, team, post } = await startDocketForClients()
    for (const [project_id, seconds, user_id] of [
      [team.project, 7200, team.people.owner],
      [team.project, 5400, team.people.admin],
      [team.hidden, 1800, team.people.owner],
    ] as const) {
      const { id } = await post('/tasks', { project_id, title: 'Timed' })
      const entry = { duration_seconds: seconds, spent_on: '2026-02-03', user_id }
      await post(`/tasks/${id}/time-entries`, entry)
    }
    const range = ['--from', '2026-02-01', '--until', '2026-03-01', '--color', 'never']
    const terminal = openTerminal(owner, ['report', ...range], 40)
    await terminal.end()
    assert.deepEqual(terminal.screen().split('\n').slice(0, -1), [
      'USER       PROJECT      TIME',
      'The owner  Engineering  2h',
      'The owner  Hidden       30m',
      'The owner  Total        2h 30m',
      'The admin  Engineering  1h 30m',
      '4h from 2026-02-01 to before 2026-03-01',
    ])
  })

  test('a long output is in a pager, which a person may leave early', async () => {
    const { owner, team, post } = await startDocketForClients()
    const operations = Array.from({ length: 60 }, (_, at) => ({
      op: 'create',
      data: { project_id: team.project, title: `Task ${at}` },
    }))
    await post('/tasks/bulk', { operations })
    const pager = { PAGER: 'read line; echo "first: $line"' }
    const terminal = openTerminal(owner, ['list', '--all', '--color', 'never'], 80, pager)
    assert.equal(await terminal.end(), 0)
    assert.match(terminal.screen(), /^first: ID +STATUS +TITLE +PRIORITY +DUE\n$/)
  })

  test('login asks for the address and the key, which it does not show', async () => {
    const { url, team } = await startDocketForClients()
    const machine = createClientMachine()
    const terminal = openTerminal(machine, ['login', '--key'])
    await terminal.type('Address of the server:', `${url}\r`)
    await terminal.type('API key (not shown):', `${team.keys.admin}x\u007f\r`)
    assert.equal(await terminal.end(), 0)
    assert.match(terminal.screen(), /You are The admin \(admin\) in Test/)
    assert.ok(!terminal.screen().includes(team.keys.admin))
    assert.ok(readFileSync(machine.configFile, 'utf8').includes(team.keys.admin))
  })

  test('Ctrl-C ends a question with exit code 130', async () => {
    const terminal = openTerminal(createClientMachine(), ['login'])
    await terminal.type('Address of the server:', '\u0003')
    assert.equal(await terminal.end(), 130)
  })

  test('create asks for the project if there are several', async () => {
    const { owner } = await startDocketForClients()
    const terminal = openTerminal(owner, ['create', 'Asked'])
    await terminal.type('Which project (', 'eng\r')
    assert.equal(await terminal.end(), 0)
    assert.match(terminal.screen(), /ENG-1 created: Asked/)
  })
}
