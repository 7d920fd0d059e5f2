import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { backdateTask } from '../../support/world/task-history.ts'
import type { BrowserFixture } from './browser-test.ts'
import { seedTasks } from './seed.ts'

const DAY_MS = 86_400_000

/**
 * Creates tasks with a history of 80 days: most are completed, some have estimates and time
 * entries.
 */
export async function seedTaskHistory(fixture: BrowserFixture, count: number) {
  const { docket, team, ask } = fixture
  const statusOf = (n: number) => (n % 5 < 3 ? 'done' : n % 5 === 3 ? 'in_progress' : 'todo')
  const tasks = await seedTasks(fixture, count, (n, { people }) => ({
    title: n === 1 ? '=2+3 is a formula' : `Task ${n}, "quoted"`,
    status: statusOf(n),
    assignee_ids: [n % 2 ? people.member.id : people.owner.id],
    ...(n % 2 === 0 && { estimate_seconds: 3_600 * (1 + (n % 5)) }),
  }))
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
  const now = Date.now()
  for (const [n, { id, status_category }] of tasks.entries()) {
    const created = now - 80 * DAY_MS + ((n * 7) % count) * ((60 * DAY_MS) / count)
    const started = created + (1 + (n % 4)) * DAY_MS
    const completed = started + (1 + ((n * 13) % 12)) * DAY_MS
    await docket.storage.write(actor, (tx) =>
      backdateTask(tx, {
        ...{ id, created },
        ...(status_category !== 'unstarted' && { started }),
        ...(status_category === 'completed' && { completed }),
      }),
    )
    if (n % 3 > 0) continue
    const spent = { duration_seconds: 1_800 * (1 + (n % 7)), billable: n % 2 === 0 }
    await ask(n % 2 ? 'member' : 'owner', `POST /api/v1/tasks/${id}/time-entries`, spent)
  }
  return tasks
}
