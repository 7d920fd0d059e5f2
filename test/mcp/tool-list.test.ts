import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCOPE_PRESETS, type Scope } from '#wire/scopes.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createScopedKey } from '../support/world/test-workspace.ts'
import { callTool, openMcpDocket, rowsOf } from './mcp-client.ts'

const MAX_LIST_TOKENS = 6_000
const CHARACTERS_PER_TOKEN = 4

const READS = ['fetch', 'get_task', 'list_tasks', 'preview', 'report', 'search']
const WRITES = ['comment', 'complete_tasks', 'create_tasks', 'log_time', 'undo', 'update_tasks']
/** Tools that overwrite what is there. */
const OVERWRITES = ['undo', 'update_tasks']
/** Tools of which a second call with the same input changes nothing. */
const REPEATABLE = ['complete_tasks', 'undo', 'update_tasks']

/** A call of each tool that does something. */
const CALLS: Readonly<Record<string, Record<string, unknown>>> = {
  search: { query: 'one' },
  fetch: { id: 'ENG-1' },
  list_tasks: { project_id: ['ENG'] },
  get_task: { id: 'ENG-1' },
  report: { group_by: ['user'] },
  preview: { tool: 'comment', arguments: { task_id: 'ENG-1', body: 'Not yet' } },
  create_tasks: { tasks: [{ project_id: 'ENG', title: 'Two' }] },
  update_tasks: { tasks: [{ id: 'ENG-1', title: 'Changed' }] },
  complete_tasks: { ids: ['ENG-1'] },
  comment: { task_id: 'ENG-1', body: 'Done' },
  log_time: { task_id: 'ENG-1', duration_seconds: 60 },
}

for (const engine of ENGINES) {
  const opening = openMcpDocket(engine)
  const openTeam = async () => (await opening).openTeam()

  test(`lists flat tools within the budget of a model (${engine})`, async () => {
    const client = await (await openTeam()).connect()
    const { tools } = await client.listTools()
    assert.deepEqual(tools.map(({ name }) => name).toSorted(), [...READS, ...WRITES].toSorted())
    const tokens = JSON.stringify(tools).length / CHARACTERS_PER_TOKEN
    assert.ok(tokens <= MAX_LIST_TOKENS, `${tokens} tokens`)
    for (const { name, description, inputSchema } of tools) {
      assert.equal(inputSchema.type, 'object', name)
      for (const word of ['oneOf', 'anyOf', 'allOf']) assert.ok(!(word in inputSchema), name)
      assert.doesNotMatch(JSON.stringify(inputSchema), /"x-|\$ref/, name)
      assert.ok(description, name)
      assert.doesNotMatch(name, /delete/)
    }
  })

  test(`annotates tools by what they do (${engine})`, async () => {
    const { connect, send, team, newEvents } = await openTeam()
    await send('POST /api/v1/tasks', { project_id: team.project, title: 'One' })
    await newEvents()
    const client = await connect()
    const changed = await callTool(client, 'update_tasks', {
      tasks: [{ id: 'ENG-1', priority: 'low' }],
    })
    const undone = { operation_ids: rowsOf(changed.text).map((row) => row.operation_id) }
    const calls: typeof CALLS = { ...CALLS, undo: undone }
    await newEvents()
    const { tools } = await client.listTools()
    for (const { name, annotations = {} } of tools) {
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations
      assert.equal(openWorldHint, false, name)
      assert.equal(readOnlyHint, READS.includes(name), name)
      const { text, isError } = await callTool(client, name, calls[name])
      assert.equal(isError, false, text)
      const events = await newEvents()
      assert.equal(events.length > 0, !readOnlyHint, `${name}: ${events.join()}`)
      if (readOnlyHint) continue
      assert.equal(destructiveHint, OVERWRITES.includes(name), name)
      assert.equal(idempotentHint, REPEATABLE.includes(name), name)
      await callTool(client, name, calls[name])
      const repeated = await newEvents()
      assert.equal(repeated.length === 0, idempotentHint, `${name}: ${repeated.join()}`)
      for (const type of [...events, ...repeated]) assert.doesNotMatch(type, /deleted/)
    }
  })

  test(`lists the tools that the scopes of the credential allow (${engine})`, async () => {
    const { team, connect } = await openTeam()
    const { storage } = await opening
    const toolsOf = async (scopes: readonly Scope[]) => {
      const token = await createScopedKey(storage, team, 'owner', scopes)
      const client = await connect({ token })
      const { tools = [] } = client.getServerCapabilities()?.tools ? await client.listTools() : {}
      return { client, names: tools.map(({ name }) => name).toSorted() }
    }
    const { names, client } = await toolsOf(SCOPE_PRESETS.read_only)
    assert.deepEqual(
      names,
      READS.filter((name) => name !== 'preview'),
    )
    await assert.rejects(client.callTool({ name: 'create_tasks', arguments: {} }), /not found/)
    assert.deepEqual((await toolsOf(['time_entries:write'])).names, ['log_time', 'preview'])
    assert.deepEqual((await toolsOf(['events:read'])).names, [])
    const { client: writer } = await toolsOf(['time_entries:write'])
    const denied = await callTool(writer, 'preview', { tool: 'comment', arguments: CALLS.comment })
    assert.match(denied.text, /^insufficient_scope: /)
  })

  test(`shows nothing of another workspace (${engine})`, async () => {
    const [own, other] = [await openTeam(), await openTeam()]
    const task = await other.send('POST /api/v1/tasks', {
      project_id: other.team.project,
      title: 'Theirs',
    })
    await other.newEvents()
    const { data } = await other.send('GET /api/v1/operations')
    const operation_id = data[0].id
    const client = await own.connect()
    const calls: [string, Record<string, unknown>][] = [
      ['get_task', { id: task.id }],
      ['fetch', { id: task.id }],
      ['update_tasks', { tasks: [{ id: task.id, title: 'Mine' }] }],
      ['complete_tasks', { ids: [task.id] }],
      ['comment', { task_id: task.id, body: 'Hello' }],
      ['log_time', { task_id: task.id, duration_seconds: 60 }],
      ['undo', { operation_ids: [operation_id] }],
      ['preview', { tool: 'complete_tasks', arguments: { ids: [task.id] } }],
    ]
    for (const [name, args] of calls) {
      const { text, isError } = await callTool(client, name, args)
      assert.ok(isError, name)
      assert.match(text, /^(not_found|validation_failed): /, name)
      assert.doesNotMatch(text, /Theirs/)
    }
    assert.equal((await callTool(client, 'list_tasks')).text, 'No tasks.')
    const found = await callTool(client, 'search', { query: 'Theirs' })
    assert.deepEqual(JSON.parse(found.text).results, [])
    const assigned = { project_id: 'ENG', title: 'One', assignee_ids: [other.team.people.owner] }
    assert.ok((await callTool(client, 'create_tasks', { tasks: [assigned] })).isError)
    assert.deepEqual(await other.newEvents(), [])
    assert.deepEqual(await own.newEvents(), [])
  })

  test(`gives the rights of the role, as the API does (${engine})`, async () => {
    const { team, connect, newEvents } = await openTeam()
    const client = await connect({ token: team.keys.guest })
    const task = { project_id: team.hidden, title: 'Not mine to see' }
    const refused = await callTool(client, 'create_tasks', { tasks: [task] })
    const unknown = await callTool(client, 'create_tasks', {
      tasks: [{ ...task, project_id: team.hidden.replace(/.$/, '0') }],
    })
    assert.ok(refused.isError)
    assert.equal(refused.text, unknown.text)
    assert.deepEqual(await newEvents(), [])
  })
}
