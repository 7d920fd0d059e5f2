import './composer.css'
import { Link, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { showToast } from '../../../data/app/toasts.ts'
import { acceptFiles, uploadAttachments } from '../../../data/resources/attachments.ts'
import {
  addPersonToProject,
  canSeeProject,
  invalidatePeople,
  usePeople,
} from '../../../data/resources/project-people.ts'
import { useTags } from '../../../data/resources/tags.ts'
import { bootState, canManageWorkspace, useBoot } from '../../../data/session/boot.ts'
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
import { getErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine, SelectField } from '../../../ui/form/form-field.tsx'
import { useUnsavedForm } from '../../../ui/form/unsaved-forms.ts'
import { chooseFiles, takeTransferredFiles } from '../../../ui/markdown/file-inserter.ts'
import { MarkdownArea } from '../../../ui/markdown/markdown-area.tsx'
import type { MarkdownField } from '../../../ui/markdown/markdown-field.ts'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { taskSearch } from '../../task-detail/index.ts'
import { memberOptions, tagOptions } from '../commands/field-pickers.tsx'
import { type StableBoot, useStableBoot } from '../project-page-context.ts'
import { confirmPastedLines } from '../quick-add/confirm-pasted-lines.tsx'
import { createTypedTask } from '../quick-add/create-typed-task.ts'
import type { QuickAddChip } from '../quick-add/parse-quick-add.ts'
import { parsePastedTasks } from '../quick-add/pasted-tasks.ts'
import { RemovableChip, TypedChips } from '../quick-add/typed-chips.tsx'
import { EMPTY_LINE, type TypedLine, useTypedLine } from '../quick-add/use-typed-line.ts'
import {
  type ComposerStart,
  findComposerStart,
  listFilterChips,
  readSharedText,
  type SharedText,
  saveLastProject,
} from './composer-start.ts'
import { type SuggestedName, useNameSuggestions } from './use-name-suggestions.tsx'

/**
 * Opens the dialog for a new task over any screen, in a project or where the screen suggests. Returns
 * whether there is a project that takes tasks.
 */
export function openComposer(project_id?: string, shared = ''): boolean {
  const boot = bootState.get()
  const start = boot && findComposerStart(boot, location, project_id)
  if (!start) {
    showToast({ text: composerMessages.noProject, tone: 'trouble' })
    return false
  }
  openDialog({
    title: shellMessages.newTask,
    body: (close) => <Composer start={start} shared={readSharedText(shared)} onClose={close} />,
  })
  return true
}

interface ComposerDraft extends TypedLine {
  project_id: string
  description: string
}

interface ComposerProps {
  start: ComposerStart
  shared: SharedText
  onClose: () => void
}

/** A new task in one line, with what is taken from it as chips, a project and a description. */
function Composer({ start, shared, onClose }: ComposerProps) {
  const boot = useStableBoot()
  const announce = useAnnouncement(boot)
  const { session, projects, members } = boot
  const me = session.user.id
  const draftKey = `new-task.${session.workspace.id}`
  const active = projects.filter(({ status }) => status === 'active')
  const [draft] = useState(() => readComposerDraft(draftKey))
  const [project_id, setProjectId] = useState(draft?.project_id ?? start.project_id)
  const project = active.find(({ id }) => id === project_id) ?? active[0]
  const [description, setDescription] = useState(
    // A draft keeps its line.
    [draft?.description, draft && shared.title, shared.description].filter(Boolean).join('\n\n'),
  )
  /** The field takes its text when it is mounted. */
  const [descriptionKey, setDescriptionKey] = useState(0)
  const descriptionField = useRef<MarkdownField>(null)
  const files = useNewFiles()
  const form = useRef<HTMLFormElement>(null)
  // The draft keeps everything else.
  useUnsavedForm(form, files.all.length > 0)
  const [created, setCreated] = useState<Task>()
  const field = useRef<HTMLInputElement>(null)
  const tags = useTags(project?.id)
  const today = useToday()
  // In most projects everybody but guests sees everything.
  const isForSome =
    project?.visibility === 'private' || members.some(({ role }) => role === 'guest')
  const { data: people } = usePeople(isForSome ? project?.id : undefined)
  const references = useMemo(
    () => ({ me, nameOf: (id: string) => members.find((one) => one.id === id)?.name }),
    [me, members],
  )
  const canSee = (person: (typeof members)[number]) =>
    project !== undefined && (!people || canSeeProject(person, project, people))
  const canCreateTags = session.user.role !== 'guest'
  const vocabulary = { tags, members: members.filter(canSee), me, today, canCreateTags }
  const filterChips = useMemo(
    () =>
      project?.id === start.project_id
        ? listFilterChips(start.filter, {
            statuses: project.statuses,
            members,
            tags,
            me,
            today,
            now: Date.now,
          })
        : [],
    [project, start, members, tags, me, today],
  )
  const typed = useTypedLine(
    vocabulary,
    () => draft ?? { ...EMPTY_LINE, text: shared.title },
    filterChips,
  )
  const { line, setLine } = typed
  // Of another project: their names are text again, and the list offers to add them there.
  const outsider = line.chips.find(
    (chip) => chip.kind === 'who' && !vocabulary.members.some(({ id }) => id === chip.id),
  )
  useEffect(() => {
    if (outsider) typed.removeChip(outsider)
  })
  const hasDraft = line.text !== '' || line.chips.length > 0 || description !== ''
  const isEmpty = !hasDraft && files.all.length === 0
  useLayoutEffect(() => {
    if (!hasDraft || !project) deleteDraft(draftKey)
    else saveDraft(draftKey, JSON.stringify({ ...line, project_id: project.id, description }))
  }, [draftKey, line, project, description, hasDraft])

  const clear = () => {
    // Not by the effect alone: the dialog may close in the same moment.
    deleteDraft(draftKey)
    typed.clear()
    setDescription('')
    setDescriptionKey(descriptionKey + 1)
    files.clear()
    field.current?.focus()
  }
  /** Creates the task; returns it unless it has no title yet. */
  const save = (): Task | undefined => {
    const { title, chips } = typed.finish(line.text, line.chips)
    if (!project || title === '') return undefined
    const target = { project, me }
    const text = mentionNamesToIds(description, members)
    const task = createTypedTask(target, title, fitTags(chips, vocabulary), text)
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
  const addPerson = async (person: (typeof members)[number]) => {
    if (!project) return
    try {
      await addPersonToProject(project.id, person.id)
      // Until the list has them, they are no one to assign.
      await invalidatePeople(project.id)
      showToast({ text: composerMessages.added(person.name, project.name) })
      typed.addChip(toPersonChip(person))
    } catch (error) {
      showToast({ text: getErrorMessage(error), tone: 'trouble' })
    }
  }
  const suggestions = useNameSuggestions({
    text: line.text,
    list: (mark) => (mark === '@' ? listPeople() : listTags()),
    create: (mark, name) =>
      mark === '#' && canCreateTags && !/^\d+$/.test(name)
        ? {
            id: '+new',
            label: composerMessages.createTag(name),
            choose: () => typed.addChip({ kind: 'new tag', typed: `#${name}`, name }),
          }
        : undefined,
    onChoose: (marked) =>
      setLine((now) => ({ ...now, text: now.text.slice(0, now.text.length - marked.length) })),
  })
  if (!project) return null

  function listPeople(): SuggestedName[] {
    if (!project) return []
    const mayAdd = canManageWorkspace(boot) || project.lead_id === me
    const options = memberOptions({ boot, me })
    return options.flatMap((option): SuggestedName[] => {
      const person = members.find(({ id }) => id === option.id)
      if (!person) return []
      if (canSee(person)) return [{ ...option, choose: () => typed.addChip(toPersonChip(person)) }]
      const label = composerMessages.addAndAssign(person.name, project.name)
      return mayAdd
        ? [{ ...option, label, words: person.name, choose: () => void addPerson(person) }]
        : []
    })
  }

  function listTags(): SuggestedName[] {
    return tagOptions({ tags }).map((option) => ({
      ...option,
      choose: () =>
        typed.addChip({
          kind: 'tag',
          typed: `#${option.label}`,
          id: option.id,
          name: option.label,
        }),
    }))
  }

  const handleTitleKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (suggestions.handleKeyDown(event) || !typed.handleBackspace(event)) return
    event.preventDefault()
    event.stopPropagation()
  }
  const title = typed.finish(line.text, line.chips).title
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
        onChange={({ target }) => setProjectId(target.value)}
        options={active.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <FormLine>
        <div className="composer-line">
          <input
            ref={field}
            className="field"
            role="combobox"
            aria-expanded={false}
            aria-label={composerMessages.title}
            placeholder={composerMessages.titleHint}
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type here
            autoFocus
            enterKeyHint="send"
            value={line.text}
            onChange={({ target }) => typed.change(target.value)}
            onKeyDown={handleTitleKey}
            onPaste={(event) => {
              const pasted = event.clipboardData.getData('text')
              const lines = parsePastedTasks(pasted, { ...vocabulary, statuses: project.statuses })
              if (lines.length < 2) return
              event.preventDefault()
              const words = lines.map(({ text }) => text).join(' ')
              const insert = () => setLine({ ...line, text: `${line.text}${words}` })
              confirmPastedLines({ project, me }, lines, insert)
            }}
            {...suggestions.aria}
          />
          <TypedChips chips={fitTags(typed.chips, vocabulary)} onRemove={typed.removeChip} />
          {suggestions.element}
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
            onChange={setDescription}
          />
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
        <div className="acts">
          <Button
            kind="primary"
            type="submit"
            keys="enter"
            reason={title === '' ? composerMessages.needsTitle : undefined}
          >
            {composerMessages.create}
          </Button>
          <Button
            keys="mod+enter"
            reason={title === '' ? composerMessages.needsTitle : undefined}
            onClick={saveAndClose}
          >
            {composerMessages.createAndClose}
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

const toPersonChip = ({ id, name }: { id: string; name: string }): QuickAddChip => ({
  kind: 'who',
  typed: `@${name}`,
  id,
  name,
})

/** The chips with the tags of the project that is chosen now, by their names. */
const fitTags = (
  chips: readonly QuickAddChip[],
  {
    tags,
    canCreateTags,
  }: { tags: readonly { id: string; name: string }[]; canCreateTags: boolean },
): QuickAddChip[] =>
  chips.flatMap((chip): QuickAddChip[] => {
    if (chip.kind !== 'tag' && chip.kind !== 'new tag') return [chip]
    const { typed, name } = chip
    const tag = tags.find((one) => one.name === name)
    if (tag) return [{ kind: 'tag', typed, id: tag.id, name }]
    return canCreateTags ? [{ kind: 'new tag', typed, name }] : []
  })

function readComposerDraft(key: string): ComposerDraft | undefined {
  const draft = readDraft(key)
  return draft === undefined ? undefined : (JSON.parse(draft) as ComposerDraft)
}
