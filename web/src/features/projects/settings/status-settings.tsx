import { useMemo, useState } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { useHeldProject } from '../../../data/tasks/held-tasks.ts'
import { isSameValue } from '../../../data/tasks/task-patch.ts'
import { getCachedTasks, useTasksRevision } from '../../../data/tasks/task-store.ts'
import { projectMessages } from '../../../messages/projects/projects.ts'
import { announce } from '../../../ui/feedback/announce.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { ProjectConflictError, saveProject } from '../save-project.ts'
import type { ProjectSettingsProps } from './general-settings.tsx'
import { openRemoveStatusDialog } from './remove-status-dialog.tsx'
import { StatusDraftRow } from './status-draft-row.tsx'
import {
  hasRequiredStatuses,
  hasStatusChanges,
  keepLaterDrafts,
  moveStatusDraft,
  type StatusDraft,
  toStatusDrafts,
  toStatusInputs,
} from './status-drafts.ts'

/**
 * The statuses of a project. They are saved together, because only the whole list can be validated.
 * Until the person edits them, they follow the changes of others.
 */
export function StatusSettings({ project, reason }: ProjectSettingsProps) {
  const [base, setBase] = useState(project)
  const [drafts, setDrafts] = useState(() => toStatusDrafts(project.statuses))
  const [conflict, setConflict] = useState<string>()
  const showSaved = (saved: Project) => {
    setBase(saved)
    setConflict(undefined)
    setDrafts(toStatusDrafts(saved.statuses))
  }
  const changed = hasStatusChanges(drafts, base.statuses)
  if (base !== project && !changed) showSaved(project)
  const counts = useTaskCounts(project.id)
  const change = (id: string, patch: Partial<StatusDraft>) =>
    setDrafts((all) => all.map((draft) => (draft.id === id ? { ...draft, ...patch } : draft)))
  const move = (from: number, to: number) => {
    const draft = drafts[from]
    if (!draft || to < 0 || to >= drafts.length) return
    setDrafts(moveStatusDraft(drafts, from, to))
    announce(projectMessages.movedTo(draft.name, to + 1, drafts.length))
  }
  const remove = (draft: StatusDraft) => {
    const removeDraft = () => setDrafts((all) => all.filter(({ id }) => id !== draft.id))
    // Unless the status is known to be unused, the user selects where its tasks go.
    if (draft.key === undefined || (counts && !counts.has(draft.key))) removeDraft()
    else
      openRemoveStatusDialog(project, draft.key, (saved) => {
        // What others have changed below the drafts has not been seen: saving these asks first.
        if (isSameValue(base.statuses, project.statuses)) setBase(saved)
        removeDraft()
      })
  }
  const send = async () => {
    try {
      const saved = await saveProject(base, { statuses: toStatusInputs(drafts) })
      setBase(saved)
      setConflict(undefined)
      setDrafts((current) => keepLaterDrafts(current, drafts, saved.statuses))
    } catch (error) {
      if (!(error instanceof ProjectConflictError)) throw error
      setBase(error.current)
      setConflict(error.message)
      return
    }
    showToast({ text: projectMessages.saved })
  }
  return (
    <Form
      className="set-form"
      guard={changed}
      label={projectMessages.tabs.statuses}
      onSubmit={send}
    >
      <FormLine>
        <p>{projectMessages.statusesWhy}</p>
      </FormLine>
      <ol className="status-list">
        {drafts.map((draft, at) => (
          <StatusDraftRow
            key={draft.id}
            draft={draft}
            at={at}
            of={drafts.length}
            count={draft.key === undefined ? 0 : counts && (counts.get(draft.key) ?? 0)}
            reason={reason}
            onChange={(patch) => change(draft.id, patch)}
            onMove={(to) => move(at, to)}
            onRemove={() => remove(draft)}
          />
        ))}
      </ol>
      <input type="hidden" name="statuses" />
      <FormLine>
        <div className="acts">
          <Button
            icon="plus"
            reason={reason}
            onClick={() => setDrafts([...drafts, createDraft(crypto.randomUUID())])}
          >
            {projectMessages.addStatus}
          </Button>
        </div>
        {conflict !== undefined && (
          <p className="error" role="alert">
            {conflict}
          </p>
        )}
        {!hasRequiredStatuses(drafts) && (
          <p className="error" role="alert">
            {projectMessages.oneDone}
          </p>
        )}
      </FormLine>
      <FormLine>
        <div className="acts">
          <SubmitButton reason={reason}>{projectMessages.save}</SubmitButton>
          {changed && (
            <>
              <Button kind="plain" onClick={() => showSaved(project)}>
                {projectMessages.discard}
              </Button>
              <span className="quiet">{projectMessages.unsaved}</span>
            </>
          )}
        </div>
      </FormLine>
    </Form>
  )
}

const createDraft = (id: string): StatusDraft => ({
  id,
  key: undefined,
  name: projectMessages.newStatus,
  category: 'started',
  color: undefined,
})

/** How many tasks of a project have each status; undefined until all of them are here. */
function useTaskCounts(project_id: string): ReadonlyMap<string, number> | undefined {
  const { mode } = useHeldProject(project_id)
  const revision = useTasksRevision()
  // biome-ignore lint/correctness/useExhaustiveDependencies: any task may have another status since
  return useMemo(() => {
    if (mode !== 'loaded') return undefined
    const counts = new Map<string, number>()
    for (const task of getCachedTasks())
      if (task.project_id === project_id)
        counts.set(task.status, (counts.get(task.status) ?? 0) + 1)
    return counts
  }, [project_id, mode, revision])
}
