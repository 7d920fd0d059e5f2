import './task-description.css'
import { useEffect, useRef, useState } from 'react'
import { announceEditing, useEditingAnnounced } from '../../../data/live/task-editors.ts'
import { type Attachment, attachFiles } from '../../../data/resources/attachments.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { changeTask } from '../../../data/tasks/change-task.ts'
import { loadMerging } from '../../../data/tasks/merge-versions.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { useTaskConflict } from '../../../data/tasks/task-store.ts'
import { isPictureType } from '../../../lib/browser/picture.ts'
import { schedulePreload } from '../../../lib/browser/schedule-preload.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button } from '../../../ui/form/button.tsx'
import { focusIfLost } from '../../../ui/keyboard/focus-if-lost.ts'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { MarkdownEditor } from '../../../ui/markdown/markdown-editor.tsx'
import { MergeEditor } from '../conflicts/merge-editor.tsx'
import { clearDraftBase, readDraftBase, saveDraftBase } from '../draft-base.ts'
import { taskSearch } from '../links/task-search.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { TaskMarkdown, useMarkdownReferences } from './task-markdown.tsx'
import '../conflicts/conflicts.css'
import { useQuery } from '@tanstack/react-query'
import { discardLocalChange, keepLocalChange } from '../../../data/tasks/task-conflicts.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { findLastChange } from '../conflicts/find-last-change.ts'

/** A task whose description is loaded. */
type DescribedTask = Task & { description: string | null }

const isDescribed = (task: Task): task is DescribedTask => task.description !== undefined

/** The description of the task in Markdown, with checkboxes and an editor that stores drafts. */
export function TaskDescription() {
  const { task } = useOpenTask()
  return isDescribed(task) ? <LoadedDescription task={task} /> : <Skeleton lines={3} />
}

function LoadedDescription({ task }: { task: DescribedTask }) {
  const { write } = useBlockReasons()
  // A stored draft reopens together with the version it was started from.
  const [base, setBase] = useState<DescribedTask | undefined>(() =>
    readDraftBase(task, getDraftKey(task)),
  )
  const container = useRef<HTMLDivElement>(null)
  const hasConflict = useTaskConflict(task.id)?.fields.includes('description') === true
  const openedByUser = useRef(false)
  useEffect(() => schedulePreload(loadMerging), [])
  const editFrom = ({ version, description }: DescribedTask) => {
    openedByUser.current = true
    saveDraftBase(task.id, { version, description })
    setBase({ ...task, version, description })
  }
  const stopEditing = () => {
    setBase(undefined)
    focusIfLost(() => container.current?.querySelector<HTMLElement>('[data-does="description"]'))
  }
  return (
    <div className="line description" ref={container}>
      <span className="gut" />
      <div className="line-body" onInput={() => base && announceEditing(task.id)}>
        {hasConflict && <DescriptionConflict />}
        {base ? (
          <DescriptionEditor
            task={task}
            base={base}
            // The editor takes its text when it is mounted.
            key={base.version}
            focus={openedByUser.current}
            // Without the draft there is no reason to go on from the version that it was started from.
            onDropDraft={() => editFrom(task)}
            onEnd={stopEditing}
          />
        ) : (
          <DescriptionText
            task={task}
            reason={hasConflict ? taskDetailMessages.chooseFirst : write}
            onEdit={() => editFrom(readDraftBase(task, getDraftKey(task)) ?? task)}
          />
        )}
      </div>
    </div>
  )
}

const getDraftKey = ({ id }: Task): string => `description.${id}`

interface DescriptionTextProps {
  task: DescribedTask
  reason: string | undefined
  onEdit: () => void
}

function DescriptionText({ task, reason, onEdit }: DescriptionTextProps) {
  const { id, short_id, description } = task
  const toggle = (_: number, next: string) =>
    changeTask(
      id,
      { description: next },
      { label: taskDetailMessages.descriptionSet(short_id), from: task },
    )
  if (!description) {
    return (
      <Button
        kind="plain"
        className="value empty-text"
        keys="shift+e"
        data-does="description"
        reason={reason}
        onClick={onEdit}
      >
        {taskDetailMessages.noDescription}
      </Button>
    )
  }
  return (
    <>
      <TaskMarkdown
        source={description}
        {...(reason === undefined && { onToggle: toggle })}
        boxesOff={reason}
      />
      <div className="acts under-text">
        <Button
          kind="plain"
          icon="edit"
          data-does="description"
          aria-label={taskDetailMessages.editDescription}
          reason={reason}
          onClick={onEdit}
        >
          {taskDetailMessages.edit}
        </Button>
      </div>
    </>
  )
}

interface DescriptionEditorProps {
  task: DescribedTask
  base: DescribedTask
  /** Whether to focus the editor: a draft that reopens by itself must not take the focus. */
  focus: boolean
  onDropDraft: () => void
  onEnd: () => void
}

function DescriptionEditor({ task, base, focus, onDropDraft, onEnd }: DescriptionEditorProps) {
  const { members, settings } = useBoot('members', 'settings')
  const references = useMarkdownReferences()
  useEditingAnnounced(task.id)
  const save = (text: string) => {
    const description = text.trim() === '' && base.description === null ? null : text
    if (description !== base.description) {
      changeTask(
        task.id,
        { description },
        { label: taskDetailMessages.descriptionSet(task.short_id), from: base },
      )
    }
    clearDraftBase(task.id)
    onEnd()
  }
  const attach = async (files: File[]) => {
    const attachments = await attachFiles(task.id, files, settings.max_attachment_bytes)
    return attachments.map(toAttachmentMarkdown)
  }
  return (
    <MarkdownEditor
      label={taskDetailMessages.description}
      does="description"
      source={base.description ?? ''}
      draftKey={getDraftKey(task)}
      people={members}
      tasks={taskSearch}
      autoFocus={focus}
      onSave={save}
      onCancel={onEnd}
      onDropDraft={onDropDraft}
      onFiles={attach}
      references={references}
    />
  )
}

/** Returns the Markdown of a file: an image, or a link that downloads it. */
export function toAttachmentMarkdown({ id, filename, content_type }: Attachment): string {
  const name = filename.replace(/[[\]\\`<>*_]/g, '\\$&')
  return `${isPictureType(content_type) ? '!' : ''}[${name}](/api/v1/attachments/${id}/content)`
}

/**
 * Resolves a concurrent change of the description: shows both texts and an editable merge by lines.
 * Nothing is discarded until one of the three is chosen.
 */
function DescriptionConflict() {
  const { task } = useOpenTask()
  const conflict = useTaskConflict(task.id)
  const { data: lastChange } = useQuery({
    queryKey: ['activity', task.id, 'who', 'description', conflict?.theirs.version],
    queryFn: async () => (await findLastChange(task.id, 'description')) ?? null,
  })
  if (!conflict) return null
  const { change, theirs } = conflict
  const changedAt = formatTime(lastChange?.at ?? theirs.updated_at)
  const texts = {
    base: change.from.description ?? '',
    mine: change.patch.description ?? '',
    theirs: theirs.description ?? '',
  }
  return (
    <div className="strip wide" role="alert">
      <span>
        {taskDetailMessages.theyChangedAt(
          lastChange?.name ?? taskDetailMessages.somebody,
          taskDetailMessages.description,
          changedAt,
        )}
      </span>
      <MergeEditor
        key={`${change.key} ${theirs.version}`}
        {...texts}
        draftKey={`merge.${change.key}`}
        onMine={() => keepLocalChange(task.id, change, theirs)}
        onTheirs={() => discardLocalChange(task.id)}
        onMerged={(description) =>
          keepLocalChange(task.id, change, theirs, { ...change.patch, description })
        }
      />
    </div>
  )
}
