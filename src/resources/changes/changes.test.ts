import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { command, type Scoped } from '#db/core/statement.ts'
import { RecordCopy } from '#test/support/changes/record-copy.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { assertMatchesContract } from '#test/support/scenario/scenario.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import { ROLES, type Role } from '#wire/rights.ts'

const CHANGES = '/api/v1/changes'

interface Page {
  data: {
    op: string
    type: string
    id: string
    project_id?: string | null
    record?: { id: string; short_id?: string; email?: string | null; task_id?: string }
  }[]
  position: string
  has_more: boolean
}

/** Sets the number of the newest change, as the restore of an earlier state does. */
const setNewest = command((db, $: Scoped<{ number: number }>) =>
  db.updateTable('workspaces').set({ last_change_number: $.number }),
)

const setOldest = command((db, $: Scoped<{ number: number }>) =>
  db.updateTable('workspaces').set({ tombstones_from: $.number }),
)

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, team, request, send } = await openTestClient(engine)
    const system = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    const get = async (query: string, role: Role = 'owner') => {
      const { status, body } = await request(`GET ${CHANGES}${query}`, undefined, role)
      if (status === 200) assertMatchesContract('GET', CHANGES, body)
      return { status, body, page: body as Page }
    }
    return {
      team,
      get,
      send,
      /** The ids that a reply tells, with what a copy does. */
      async told(query: string, role: Role = 'owner') {
        const { page } = await get(query, role)
        return page.data.map(({ op, type, id }) => `${op} ${type} ${id}`)
      },
      /** The ids of the projects that a role sees. */
      async list(role: Role) {
        const { body } = await request('GET /api/v1/projects', undefined, role)
        return new Set<string>(body.data.map(({ id }: { id: string }) => id))
      },
      position: async (role: Role = 'owner', query = '') =>
        (await get(`?after=now${query}`, role)).page.position,
      set: (statement: typeof setNewest, number: number) =>
        storage.write(system, (tx) => tx.run(statement, { number })),
      /** Reads to the end in pages of a size. */
      async readAll(query: string, limit: number, role: Role = 'owner', from?: string) {
        const copy = new RecordCopy()
        const pages: Page[] = []
        for (let after = from ? `&after=${from}` : ''; ; ) {
          const { page } = await get(`?limit=${limit}${query}${after}`, role)
          pages.push(page)
          for (const change of page.data) copy.apply(change as never)
          if (!page.has_more) return { copy: copy.toObject(), pages }
          after = `&after=${page.position}`
        }
      },
    }
  }

  test(`a snapshot in pages of any size has every record once (${engine})`, async () => {
    const { team, send, readAll } = await setUp()
    const { id: tag_id } = await send(`POST /api/v1/projects/${team.project}/tags`, { name: 'a' })
    for (const title of ['first', 'second', 'third']) {
      const task = { project_id: team.project, title, tag_ids: [tag_id] }
      const { id } = await send('POST /api/v1/tasks', task)
      for (const body of ['one', 'two']) await send(`POST /api/v1/tasks/${id}/comments`, { body })
      await send(`POST /api/v1/tasks/${id}/time-entries`, { duration_seconds: 60 })
      if (title === 'second') await send(`DELETE /api/v1/tasks/${id}`)
    }
    const whole = await readAll('', 500)
    assert.equal(whole.pages.length, 1)
    const types = Object.keys(whole.copy).map((key) => key.split(' ')[0])
    assert.deepEqual(
      Object.entries(Object.groupBy(types, (type) => type ?? '')).map(([t, all]) => [
        t,
        all?.length,
      ]),
      [
        ['comment', 4],
        ['member', 4],
        ['project', 2],
        ['tag', 1],
        ['task', 2],
        ['time_entry', 2],
      ],
    )
    for (const limit of [1, 2, 3, 7]) {
      const { copy, pages } = await readAll('', limit)
      assert.deepEqual(copy, whole.copy)
      const ids = pages.flatMap(({ data }) => data.map(({ id }) => id))
      assert.equal(new Set(ids).size, ids.length, 'nothing is told twice')
      for (const { data } of pages) assert.ok(data.length <= limit)
    }
    const comments = await readAll('&types=comment', 1)
    assert.deepEqual(
      Object.keys(comments.copy),
      Object.keys(whole.copy).filter((key) => key.startsWith('comment ')),
    )
  })

  test(`a record that changed often appears once, at its last change (${engine})`, async () => {
    const { team, send, position, told } = await setUp()
    const titles = ['a', 'b']
    const ids: string[] = []
    for (const title of titles)
      ids.push((await send('POST /api/v1/tasks', { project_id: team.project, title })).id)
    const after = await position()
    for (const title of ['x', 'y', 'z'])
      for (const id of ids) await send(`PATCH /api/v1/tasks/${id}`, { title })
    await send(`PATCH /api/v1/tasks/${ids[0]}`, { title: 'last' })
    assert.deepEqual(await told(`?after=${after}`), [`put task ${ids[1]}`, `put task ${ids[0]}`])
    assert.deepEqual(await told(`?after=${after}&limit=1`), [`put task ${ids[1]}`])
  })

  test(`what derives from a write is told with it (${engine})`, async () => {
    const { team, send, position, told } = await setUp()
    const { id: task } = await send('POST /api/v1/tasks', { project_id: team.project, title: 'a' })
    const { id: tag } = await send(`POST /api/v1/projects/${team.project}/tags`, { name: 'a' })
    await send(`PATCH /api/v1/tasks/${task}`, { tag_ids: [tag] })
    let after = await position()
    const { id: entry } = await send(`POST /api/v1/tasks/${task}/time-entries`, {
      duration_seconds: 99,
    })
    assert.deepEqual(await told(`?after=${after}`), [`put task ${task}`, `put time_entry ${entry}`])
    after = await position()
    await send(`DELETE /api/v1/tags/${tag}`)
    assert.deepEqual(await told(`?after=${after}`), [`delete tag ${tag}`, `put task ${task}`])
    after = await position()
    await send(`DELETE /api/v1/tasks/${task}`)
    assert.deepEqual(await told(`?after=${after}`), [
      `put project ${team.project}`,
      `delete task ${task}`,
    ])
    await send(`POST /api/v1/tasks/${task}/restore`)
    assert.deepEqual(await told(`?after=${after}`), [
      `put project ${team.project}`,
      `put task ${task}`,
      `put time_entry ${entry}`,
    ])
  })

  test(`a new prefix resets the project for everybody who sees it (${engine})`, async () => {
    const { team, send, position, get } = await setUp()
    const { id: task } = await send('POST /api/v1/tasks', { project_id: team.project, title: 'a' })
    const positions = { owner: await position('owner'), guest: await position('guest') }
    await send(`PATCH /internal/projects/${team.project}`, { prefix: 'NEW' })
    for (const role of ['owner', 'guest'] as const) {
      const { page } = await get(`?after=${positions[role]}`, role)
      assert.deepEqual(page.data[0], { op: 'reset', type: 'project', id: team.project })
      const record = page.data.findLast(({ id }) => id === task)?.record
      assert.equal(record?.short_id, 'NEW-1')
    }
    const hidden = await position('guest')
    await send(`PATCH /internal/projects/${team.hidden}`, { prefix: 'SEC' })
    assert.deepEqual((await get(`?after=${hidden}`, 'guest')).page.data, [])
  })

  test(`a new name puts the member and the comments again (${engine})`, async () => {
    const { team, send, position, readAll } = await setUp()
    const comments: string[] = []
    for (const project_id of [team.project, team.hidden]) {
      const { id: task } = await send('POST /api/v1/tasks', { project_id, title: 'a' })
      for (const body of ['one', 'two'])
        comments.push((await send(`POST /api/v1/tasks/${task}/comments`, { body })).id)
    }
    const positions = { owner: await position('owner'), guest: await position('guest') }
    await send('PATCH /internal/account', { name: 'Ada' })
    const idsOf = async (role: 'owner' | 'guest', limit: number) => {
      const { pages } = await readAll('', limit, role, positions[role])
      return pages.flatMap(({ data }) => data.map(({ id }) => id))
    }
    const { owner } = team.people
    assert.deepEqual(await idsOf('owner', 200), [...comments, owner])
    assert.deepEqual(await idsOf('owner', 1), [...comments, owner])
    assert.deepEqual(await idsOf('guest', 200), [...comments.slice(0, 2), owner])
  })

  test(`people get and lose projects with their lists and roles (${engine})`, async () => {
    const { team, send, position, told, get } = await setUp()
    const { guest } = team.people
    const { id: secret } = await send('POST /api/v1/tasks', { project_id: team.hidden, title: 'a' })
    let after = await position('guest')
    await send(`PUT /internal/projects/${team.hidden}/people/${guest}`)
    assert.deepEqual(await told(`?after=${after}`, 'guest'), [
      `reset project ${team.hidden}`,
      `put project ${team.hidden}`,
      `put task ${secret}`,
    ])
    after = await position('guest')
    await send(`DELETE /internal/projects/${team.hidden}/people/${guest}`)
    assert.deepEqual(await told(`?after=${after}`, 'guest'), [`reset project ${team.hidden}`])
    after = await position('guest')
    await send(`PATCH /internal/members/${guest}`, { role: 'admin' })
    const { page } = await get(`?after=${after}`, 'guest')
    const kinds = page.data.map(({ op, type, id }) => `${op} ${type} ${id}`)
    assert.ok(kinds.includes(`reset project ${team.hidden}`), kinds.join())
    assert.ok(kinds.includes(`put task ${secret}`))
    const emails = page.data
      .filter(({ type }) => type === 'member')
      .map(({ record }) => record?.email)
    assert.ok(emails.length >= 4 && emails.every((email) => email), 'admins see all addresses')
  })

  test(`each role gets and loses exactly the projects that it sees (${engine})`, async () => {
    const { team, send, position, told, list } = await setUp()
    const { guest } = team.people
    const open = await send('POST /internal/projects', { name: 'Open', prefix: 'OPN' })
    /** Asserts that the feed resets the projects which the person sees only before or only after. */
    const assertResets = async (change: () => Promise<unknown>, what: string) => {
      const [before, after] = [await list('guest'), await position('guest')]
      await change()
      const now = await list('guest')
      const expected = [...before, ...now].filter((id) => !before.has(id) || !now.has(id))
      const resets = (await told(`?after=${after}`, 'guest')).filter((one) =>
        one.startsWith('reset project'),
      )
      assert.deepEqual(
        resets.toSorted(),
        expected.map((id) => `reset project ${id}`).toSorted(),
        what,
      )
    }
    for (const role of ROLES) {
      await assertResets(
        () => send(`PATCH /internal/members/${guest}`, { role }),
        `becomes ${role}`,
      )
      for (const visibility of ['private', 'workspace'])
        await assertResets(
          () => send(`PATCH /internal/projects/${open.id}`, { visibility }),
          `${role}: ${visibility}`,
        )
      await assertResets(
        () => send(`PATCH /internal/members/${guest}`, { role: 'guest' }),
        `${role} becomes guest`,
      )
    }
  })

  test(`resets a project that is unarchived, with its tasks (${engine})`, async () => {
    const { team, send, position, told } = await setUp()
    const { id: task } = await send('POST /api/v1/tasks', { project_id: team.project, title: 'a' })
    await send(`POST /internal/projects/${team.project}/archive`)
    const after = await position()
    await send(`POST /internal/projects/${team.project}/unarchive`)
    const changes = await told(`?after=${after}`)
    assert.ok(changes.includes(`reset project ${team.project}`), changes.join())
    assert.ok(changes.includes(`put task ${task}`))
  })

  test(`follows one project, with what moves out of it (${engine})`, async () => {
    const { team, send, position, told, readAll } = await setUp()
    const of = `&project_id=${team.project}`
    const { id: task } = await send('POST /api/v1/tasks', { project_id: team.project, title: 'a' })
    const { id: other } = await send('POST /api/v1/tasks', { project_id: team.hidden, title: 'b' })
    const { copy } = await readAll(of, 500)
    assert.deepEqual(Object.keys(copy), [`project ${team.project}`, `task ${task}`])
    const after = await position('owner', of)
    await send(`PATCH /api/v1/tasks/${other}`, { title: 'unseen' })
    assert.deepEqual(await told(`?after=${after}${of}`), [])
    await send(`PATCH /api/v1/tasks/${task}`, { project_id: team.hidden })
    assert.deepEqual(await told(`?after=${after}${of}`), [
      `delete task ${task}`,
      `put project ${team.project}`,
    ])
  })

  test(`rejects positions that are not its own, too old or of another state (${engine})`, async () => {
    const { team, send, position, get, set } = await setUp()
    const after = await position()
    for (const query of [
      `?after=x`,
      `?after=${after}x`,
      `?after=${after}&types=task`,
      `?after=${after}&project_id=${team.project}`,
    ]) {
      const { status, body } = await get(query)
      assert.deepEqual([status, body.error.code], [400, 'invalid_cursor'], query)
    }
    assert.equal((await get(`?after=${after}`, 'guest')).body.error.code, 'invalid_cursor')
    await send('POST /api/v1/tasks', { project_id: team.project, title: 'a' })
    const later = await position()
    await set(setOldest, 2)
    const old = await get(`?after=${after}`)
    assert.deepEqual([old.status, old.body.error.type], [410, 'gone'])
    assert.equal(old.body.error.code, 'position_expired')
    assert.equal((await get(`?after=${later}`)).status, 200)
    await set(setNewest, 1)
    assert.equal((await get(`?after=${later}`)).body.error.code, 'position_expired')
  })

  test(`waits for something new (${engine})`, async () => {
    const { team, send, position, get } = await setUp()
    const after = await position()
    const waiting = get(`?after=${after}&wait=30`)
    const { id } = await send('POST /api/v1/tasks', { project_id: team.project, title: 'a' })
    const { page } = await waiting
    assert.ok(page.data.some((change) => change.id === id))
    const none = await get(`?after=${page.position}&wait=1`)
    assert.deepEqual(none.page, { data: [], position: page.position, has_more: false })
  })
}
