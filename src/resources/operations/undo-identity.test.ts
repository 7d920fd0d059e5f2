import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCountersMatchRows } from '#test/support/data/counters.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { openTestClient } from '#test/support/world/test-client.ts'

const STEPS = 120

/** Pseudo-random numbers, the same in each run. */
function dice(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

type Known = Record<string, unknown> & { id: string }

/** What changes with each write, whatever it writes. */
const REVISIONS = new Set(['version', 'updated_at'])

for (const engine of ENGINES) {
  for (const seed of [1, 2, 3]) {
    test(`an undo is the identity on all that is visible, and its undo the operation (${engine}, ${seed})`, async () => {
      const { storage, server, team, send } = await openTestClient(engine)
      const { project, hidden, people, keys } = team
      const random = dice(seed)
      const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
      const some = <T>(list: readonly T[]) => list.filter(() => random(3) === 0)

      /** Sends a write and returns its operation, or undefined if it was refused or changed nothing. */
      async function write(line: string, payload: object = {}, key = keys.owner) {
        const [method, url = ''] = line.split(' ')
        const headers = { authorization: `Bearer ${key}` }
        const body = method === 'DELETE' ? {} : { payload }
        const reply = await server.inject({ method: method as 'POST', url, headers, ...body })
        assert.ok(reply.statusCode < 500, `${line} → ${reply.statusCode} ${reply.body}`)
        return { reply, operation: reply.headers['x-operation-id'] as string | undefined }
      }

      const listOf = async (path: string): Promise<Known[]> => {
        const all: Known[] = []
        let cursor = ''
        do {
          const page = await send(`GET ${path}?limit=200${cursor}`)
          all.push(...page.data)
          cursor = page.has_more ? `&cursor=${page.next_cursor}` : ''
        } while (cursor)
        return all
      }
      /** Everything that the owner sees, without revisions. */
      async function look() {
        const tasks = await listOf('/api/v1/tasks')
        const [comments, entries] = [
          await listOf('/api/v1/comments'),
          await listOf('/api/v1/time-entries'),
        ]
        const tags = [
          ...(await listOf(`/api/v1/projects/${project}/tags`)),
          ...(await listOf(`/api/v1/projects/${hidden}/tags`)),
        ]
        const projects = await listOf('/api/v1/projects')
        const visible = [...tasks, ...comments, ...entries, ...tags, ...projects]
          .map((record) =>
            Object.fromEntries(Object.entries(record).filter(([name]) => !REVISIONS.has(name))),
          )
          .toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
        return { tasks, comments, entries, tags, visible }
      }

      const fields = (tasks: readonly Known[], tags: readonly Known[]) => ({
        ...(random(2) && { title: `t${random(9)}` }),
        ...(random(4) === 0 && {
          description: pick([null, 'short', 'x'.repeat(3_000 + random(9))]),
        }),
        ...(random(3) === 0 && { status: pick(['todo', 'done', 'canceled', 'in_progress']) }),
        ...(random(3) === 0 && { parent_id: pick([null, ...tasks.map(({ id }) => id)]) }),
        ...(random(4) === 0 && { blocked_by_ids: some(tasks.map(({ id }) => id)).slice(0, 5) }),
        ...(random(4) === 0 && { tag_ids: some(tags.map(({ id }) => id)) }),
        ...(random(4) === 0 && { assignee_ids: some(Object.values(people)) }),
        ...(random(5) === 0 && { due_date: pick([null, '2099-01-01']) }),
        ...(random(5) === 0 && { recurrence: pick([null, { rrule: 'FREQ=DAILY;COUNT=2' }]) }),
        ...(random(6) === 0 && { before_id: pick([...tasks.map(({ id }) => id), undefined]) }),
        ...(random(5) === 0 && { custom_fields: { [pick(['a', 'b'])]: pick([null, 1, 2]) } }),
      })

      async function operate({ tasks, comments, entries, tags }: Awaited<ReturnType<typeof look>>) {
        const task = pick(tasks)?.id
        const inProject = tags.filter((tag) => tag.project_id === project)
        const kinds: (() => ReturnType<typeof write>)[] = [
          () => {
            const body = {
              project_id: pick([project, hidden]),
              title: 'x',
              ...fields(tasks, inProject),
            }
            return write('POST /api/v1/tasks', body)
          },
          () => write(`PATCH /api/v1/tasks/${task}`, fields(tasks, inProject)),
          () => write(`PATCH /api/v1/tasks/${task}`, fields(tasks, inProject)),
          () => write(`PATCH /api/v1/tasks/${task}`, { project_id: pick([project, hidden]) }),
          () => write(`POST /api/v1/tasks/${task}/complete`),
          () => write(`DELETE /api/v1/tasks/${task}`),
          () => write(`POST /api/v1/tasks/${task}/comments`, { body: `c${random(9)}` }),
          () => write(`PATCH /api/v1/comments/${pick(comments)?.id}`, { body: `d${random(9)}` }),
          () => write(`DELETE /api/v1/comments/${pick(comments)?.id}`),
          () =>
            write(`POST /api/v1/tasks/${task}/time-entries`, { duration_seconds: 60 + random(60) }),
          () => write(`PATCH /api/v1/time-entries/${pick(entries)?.id}`, { note: `n${random(9)}` }),
          () => write(`DELETE /api/v1/time-entries/${pick(entries)?.id}`),
          () => write(`POST /api/v1/projects/${project}/tags`, { name: `g${random(40)}` }),
          () => write(`PATCH /api/v1/tags/${pick(tags)?.id}`, { name: `h${random(40)}` }),
          () => write(`DELETE /api/v1/tags/${pick(tags)?.id}`),
        ]
        return pick(kinds)()
      }

      let undone = 0
      for (let step = 0; step < STEPS; step += 1) {
        const before = await look()
        const { operation, reply } = await operate(before)
        if (reply.statusCode >= 300 || operation === undefined) continue
        const after = await look()
        const undo = await write(`POST /api/v1/operations/${operation}/undo`)
        const what = `${step}: ${(await server.inject({ url: `/api/v1/operations/${operation}`, headers: { authorization: `Bearer ${keys.owner}` } })).body}`
        assert.equal(undo.reply.statusCode, 200, `${what} ${undo.reply.body}`)
        assert.deepEqual((await look()).visible, before.visible, what)
        const redo = await write(`POST /api/v1/operations/${undo.operation}/undo`)
        assert.equal(redo.reply.statusCode, 200, `${what} ${redo.reply.body}`)
        assert.deepEqual((await look()).visible, after.visible, `redo ${what}`)
        undone += 1
      }
      assert.ok(undone > STEPS / 3, `${undone} operations`)
      await assertCountersMatchRows(storage, team.workspace)
    })
  }
}
