import { type Activity, fetchActivityPage } from '../../../data/resources/activity.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'

/** Returns the author and time of the last change of a field; undefined if no longer known. */
export async function findLastChange(
  task_id: string,
  field: keyof Task,
): Promise<{ name: string | null; at: string } | undefined> {
  const { data } = await fetchActivityPage(task_id)
  const change = findNewest(data.filter(({ changes }) => field in changes))
  return change && { name: change.actor.name, at: change.at }
}

const findNewest = (activities: readonly Activity[]): Activity | undefined =>
  activities.reduce<Activity | undefined>(
    (newest, candidate) => (newest && newest.at > candidate.at ? newest : candidate),
    undefined,
  )
