import './composer.css'
import { Link, useNavigate } from '@tanstack/react-router'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { loadAppModule } from '../../../data/app/app-version.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { acceptFiles, uploadAttachments } from '../../../data/resources/attachments.ts'
import { useTags } from '../../../data/resources/tags.ts'
import { bootState, useBoot } from '../../../data/session/boot.ts'
import { hasRight } from '../../../data/session/rights.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import {
  getCachedTask,
  getRealId,
  subscribeToTasks,
  useTask,
} from '../../../data/tasks/task-store.ts'
import { useToday } from '../../../lib/dates/use-clock.ts'
import { mentionNamesToIds } from '../../../lib/markdown/typed-mentions.ts'
import { deleteDraft, readDraft, saveDraft } from '../../../lib/state/drafts.ts'
import { shellMessages } from '../../../messages/app/shell.ts'
import { composerMessages } from '../../../messages/tasks/composer.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine, SelectField } from '../../../ui/form/form-field.tsx'
import { useUnsavedForm } from '../../../ui/form/unsaved-forms.ts'
import { chooseFiles, takeTransferredFiles } from '../../../ui/markdown/file-inserter.ts'
import { MarkdownArea } from '../../../ui/markdown/markdown-area.tsx'
import type { MarkdownField } from '../../../ui/markdown/markdown-field.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { taskSearch } from '../../task-detail/index.ts'
import {
  type ProjectWithoutCounts,
  type StableBoot,
  useStableBoot,
} from '../project-page-context.ts'
import { TaskLineField, useTaskLine } from '../quick-add/task-line.tsx'
import { RemovableChip } from '../quick-add/typed-chips.tsx'
import { EMPTY_LINE, type TypedLine } from '../quick-add/use-typed-line.ts'
import { ValueButtons } from '../quick-add/value-buttons.tsx'
import {
  type ComposerStart,
  findComposerStart,
  listFilterChips,
  readSharedText,
  type SharedText,
  saveLastProject,
} from './composer-start.ts'

/**
 * Opens the dialog for a new task over any screen, in a project or where the screen suggests. Returns
 * whether there is a project that takes tasks.
 */
export function openComposer(project_id?: string, shared = ''): boolean {
  const boot = bootState.get()
  const drafted = boot && readComposerDraft(getDraftKey(boot.session.workspace))?.project_id
  const start = boot && findComposerStart(boot, location, { requested: project_id, drafted })
  if (!start) {
    if (!boot || hasRight(boot.session.user, 'shape_projects')) return beginWithProject(shared)
    showToast({ text: composerMessages.noProject, tone: 'trouble' })
    return false
  }
  openDialog({
    title: shellMessages.newTask,
    body: (close) => <Composer start={start} shared={readSharedText(shared)} onClose={close} />,
  })
  return true
}

/** The dialog for a new project, and then that for a new task in it. */
function beginWithProject(shared: string): true {
  loadAppModule(() => import('../../screens-bundle.ts')).then(
    (it) => it.openCreateProjectDialog(({ id }) => openComposer(id, shared)),
    showErrorToast,
  )
  return true
}

/** The most that a description has, as the server counts them. */
const MAX_DESCRIPTION_CHARACTERS = 65_536

interface ComposerDraft extends TypedLine {
  project_id: string
  description: string
}

interface ComposerProps {
  start: ComposerStart
  shared: SharedText
  onClose: () => void
}

function Composer(props: ComposerProps) {
  const { session, projects } = useStableBoot()
  const [draft] = useState(() => readComposerDraft(getDraftKey(session.workspace)))
  const [project_id, setProjectId] = useState(props.start.project_id)
  const active = projects.filter(({ status }) => status === 'active')
  const project = active.find(({ id }) => id === project_id) ?? active[0]
  return (
    project && (
      <ComposerForm
        {...props}
        project={project}
        projects={active}
        onProject={setProjectId}
        draft={draft}
      />
    )
  )
}

const getDraftKey = ({ id }: { id: string }): string => `new-task.${id}`

interface ComposerFormProps extends ComposerProps {
  project: ProjectWithoutCounts
  projects: readonly ProjectWithoutCounts[]
  onProject: (id: string) => void
  draft: ComposerDraft | undefined
}

/** A new task in one line, with what is taken from it as chips, a project and a description. */
function ComposerForm(props: ComposerFormProps) {
  const { start, shared, project, draft, onClose } = props
  const boot = useStableBoot()
  const announce = useAnnouncement(boot)
  const { session, members } = boot
  const me = session.user.id
  const draftKey = getDraftKey(session.workspace)
  const [description, setDescription] = useState(
    // A draft keeps its line.
    [draft?.description, draft && shared.title, shared.description].filter(Boolean).join('\n\n'),
  )
  /** The field takes its text when it is mounted. */
  const [descriptionKey, setDescriptionKey] = useState(0)
  const [isTooLong, setTooLong] = useState(false)
  const descriptionField = useRef<MarkdownField>(null)
  const files = useNewFiles()
  const form = useRef<HTMLFormElement>(null)
  // The draft keeps everything else.
  useUnsavedForm(form, files.all.length > 0)
  const [created, setCreated] = useState<Task>()
  const field = useRef<HTMLInputElement>(null)
  const tags = useTags(project.id)
  const today = useToday()
  const references = useMemo(
    () => ({ me, nameOf: (id: string) => members.find((one) => one.id === id)?.name }),
    [me, members],
  )
  const filterChips = useMemo(
    () =>
      project.id === start.project_id
        ? listFilterChips(start.filter, {
            statuses: project.statuses,
            ...{ members, tags, me, today },
            projects: [project],
            now: Date.now,
          })
        : [],
    [project, start, members, tags, me, today],
  )
  const taskLine = useTaskLine(
    { project, me },
    () => draft ?? { ...EMPTY_LINE, text: shared.title },
    filterChips,
  )
  const { line } = taskLine
  const hasDraft = line.text !== '' || line.chips.length > 0 || description !== ''
  const isEmpty = !hasDraft && files.all.length === 0
  useLayoutEffect(() => {
    if (!hasDraft) deleteDraft(draftKey)
    else saveDraft(draftKey, JSON.stringify({ ...line, project_id: project.id, description }))
  }, [draftKey, line, project, description, hasDraft])

  const changeDescription = (text: string) => {
    setDescription(text)
    setTooLong(false)
  }
  const clear = () => {
    // Not by the effect alone: the dialog may close in the same moment.
    deleteDraft(draftKey)
    taskLine.clear()
    changeDescription('')
    setDescriptionKey(descriptionKey + 1)
    files.clear()
    field.current?.focus()
  }
  /** Creates the task; returns it unless it has no title yet, or too long a description. */
  const save = (): Task | undefined => {
    const text = mentionNamesToIds(description, members)
    if ([...text].length > MAX_DESCRIPTION_CHARACTERS) {
      setTooLong(true)
      return undefined
    }
    const task = taskLine.create(line.text, line.chips, text)
    if (!task) return undefined
    void uploadAttachments(task.id, files.all)
    saveLastProject(project.id)
    clear()
    return task
  }
  const saveAndClose = () => {
    const task = save()
    if (task) announce(task)
    if (task || isEmpty) onClose()
  }
  const { title } = taskLine.finish(line.text, line.chips)
  return (
    <form
      ref={form}
      className="sheet-form composer"
      {...files.handlers}
      onSubmit={(event) => {
        event.preventDefault()
        const task = save()
        if (task) setCreated(task)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        saveAndClose()
      }}
    >
      <SelectField
        label={composerMessages.project}
        name="project_id"
        value={project.id}
        onChange={({ target }) => props.onProject(target.value)}
        options={props.projects.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <FormLine>
        <div className="composer-line">
          <TaskLineField
            line={taskLine}
            ref={field}
            className="field"
            aria-label={composerMessages.title}
            placeholder={composerMessages.titleHint}
            autoFocus
            enterKeyHint="send"
          />
        </div>
      </FormLine>
      <div className="line">
        <span className="gut word" aria-hidden="true">
          {composerMessages.description}
        </span>
        <div className="control">
          <MarkdownArea
            key={descriptionKey}
            field={descriptionField}
            label={composerMessages.description}
            text={description}
            people={members}
            tasks={taskSearch}
            references={references}
            onAttach={() => chooseFiles(files.add)}
            onChange={changeDescription}
          />
          {isTooLong && (
            <p className="error" role="alert">
              <Icon name="warning" />
              {composerMessages.longDescription}
            </p>
          )}
          {files.all.length > 0 && (
            <div className="composer-line">
              {files.all.map((file, at) => (
                <RemovableChip
                  // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
                  key={at}
                  kind={composerMessages.file}
                  name={file.name}
                  onRemove={() => files.remove(file)}
                />
              ))}
              <p className="hint">{composerMessages.attachedLater}</p>
            </div>
          )}
        </div>
      </div>
      <FormLine>
        <ValueButtons line={taskLine} field={field} />
      </FormLine>
      <FormLine>
        <div className="acts">
          <Button
            kind="primary"
            type="submit"
            keys="enter"
            reason={title === '' ? composerMessages.needsTitle : undefined}
          >
            {composerMessages.create}
          </Button>
          {!isEmpty && (
            <Button kind="plain" onClick={clear}>
              {composerMessages.discard}
            </Button>
          )}
        </div>
        <p className="hint" role="status">
          {created && <CreatedTask task={created} onOpen={onClose} />}
        </p>
      </FormLine>
    </form>
  )
}

/** The files that a new task gets as soon as it is created, and the events that add some. */
function useNewFiles() {
  const { settings } = useBoot('settings')
  const [all, setAll] = useState<readonly File[]>([])
  const add = (files: readonly File[]) => {
    const accepted = acceptFiles(files, settings.max_attachment_bytes)
    setAll((before) => [...before, ...accepted])
  }
  return {
    all,
    add,
    remove: (file: File) => setAll(all.filter((one) => one !== file)),
    clear: () => setAll([]),
    handlers: takeTransferredFiles(add),
  }
}

/** The id of a task that was just created, once the server has given it one, and the way to it. */
function CreatedTask({ task, onOpen }: { task: Task; onOpen: () => void }) {
  const { session } = useStableBoot()
  const waiting = useTask(task.id)
  const saved = useTask(getRealId(task.id))
  if (!saved || saved.number < 0) return waiting ? composerMessages.saving(waiting.title) : null
  return (
    <>
      {composerMessages.created(saved.short_id)} ·{' '}
      <Link
        className="link"
        to="/w/$workspaceId/t/$shortId"
        params={{ workspaceId: session.workspace.id, shortId: saved.short_id }}
        onClick={onOpen}
      >
        {composerMessages.open}
      </Link>
    </>
  )
}

/** Returns a function that says the id of a new task after the dialog is gone, and offers to open it. */
function useAnnouncement({ session }: StableBoot): (task: Task) => void {
  const navigate = useNavigate()
  const to = '/w/$workspaceId/t/$shortId'
  return ({ id }) => {
    const stop = subscribeToTasks(() => {
      const saved = getCachedTask(getRealId(id))
      // Without it, the creation was refused or discarded, which says so itself.
      if (saved && saved.number < 0) return
      stop()
      if (!saved) return
      const params = { workspaceId: session.workspace.id, shortId: saved.short_id }
      const action = { label: composerMessages.open, run: () => void navigate({ to, params }) }
      showToast({ text: composerMessages.created(saved.short_id), action })
    })
  }
}

function readComposerDraft(key: string): ComposerDraft | undefined {
  const draft = readDraft(key)
  return draft === undefined ? undefined : (JSON.parse(draft) as ComposerDraft)
}
