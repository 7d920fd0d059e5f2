import { may, type UserActor } from '#core/actor.ts'
import type { Hint } from '#core/changes/hint.ts'

/** With more hints a page reads everything again that hints are about. */
const MAX_PENDING_HINTS = 1_000

/** Whether a person learns of a hint, apart from its project. */
function isFor({ hint, only_for }: Hint, actor: UserActor): boolean {
  if (only_for === undefined || only_for === actor.user_id) return true
  // Notifications are private, also from owners and admins.
  return hint.noun !== 'notification' && may(actor, 'see_all_projects')
}

/** The hints that wait to be sent to a page. */
export class HintBuffer {
  #pending: Hint[] = []
  #hasMissed = false

  add(hints: readonly Hint[]): void {
    if (this.#hasMissed) return
    if (this.#pending.length + hints.length > MAX_PENDING_HINTS) this.addMissed()
    else this.#pending.push(...hints)
  }

  /** Adds that any hint may have been missed. */
  addMissed(): void {
    this.#hasMissed = true
    this.#pending = []
  }

  /**
   * Takes the JSON of the hints that a person may learn of, each once. Which projects they see is asked
   * now, after the commits that the hints are about: few hints are about a project.
   */
  async take(
    actor: UserActor,
    loadVisibleProjects: (project_ids: readonly string[]) => Promise<readonly string[]>,
  ): Promise<string[]> {
    const hasMissed = this.#hasMissed
    const hints = this.#pending.filter((one) => isFor(one, actor))
    this.#hasMissed = false
    this.#pending = []
    if (hasMissed) return ['{}']
    const project_ids = new Set(hints.flatMap(({ hint }) => hint.project_id ?? []))
    const visible = new Set(
      may(actor, 'see_all_projects') || project_ids.size === 0
        ? project_ids
        : await loadVisibleProjects([...project_ids]),
    )
    const isVisible = ({ hint: { project_id } }: Hint) =>
      project_id === undefined || visible.has(project_id)
    return [...new Set(hints.filter(isVisible).map(({ hint }) => JSON.stringify(hint)))]
  }
}
