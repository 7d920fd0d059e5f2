import { type Activity, readActivity } from '../../data/activity.ts'
import type { Task } from '../../data/task-view.ts'

/** Who last changed a field of a task, and when; undefined if that is not known any more. */
export async function whoChanged(
  task_id: string,
  field: keyof Task,
): Promise<{ name: string | null; at: string } | undefined> {
  const { data } = await readActivity(task_id)
  const found = newest(data.filter(({ changes }) => field in changes))
  return found && { name: found.actor.name, at: found.at }
}

const newest = (of: readonly Activity[]): Activity | undefined =>
  of.reduce<Activity | undefined>((best, one) => (best && best.at > one.at ? best : one), undefined)
