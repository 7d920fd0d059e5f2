import {
  type FocusEvent,
  type InputHTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
} from 'react'
import {
  findWholeName,
  isWithinCode,
  type SentenceContext,
  type SentenceToken,
  type TypedValue,
} from '#lib/typed-sentence.ts'
import { showToast } from '../../../data/app/toasts.ts'
import {
  addPersonToProject,
  invalidatePeople,
  useProjectMembers,
} from '../../../data/resources/project-people.ts'
import { useTags } from '../../../data/resources/tags.ts'
import { canEditProjectSettings, hasRight } from '../../../data/session/rights.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { getDateContext } from '../../../lib/dates/date-context.ts'
import { useToday } from '../../../lib/dates/use-clock.ts'
import { findMarkedName } from '../../../lib/markdown/typed-mentions.ts'
import { parsePastedLines } from '../../../lib/text/pasted-lines.ts'
import { quickAddMessages } from '../../../messages/tasks/quick-add.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { createPlainField, type MarkdownField } from '../../../ui/markdown/markdown-field.ts'
import {
  type Suggestion,
  SuggestionList,
  type SuggestionSource,
  useSuggestions,
} from '../../../ui/markdown/suggestion-list.tsx'
import { insertWord, removeWord } from '../../../ui/markdown/suggestion-sources.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import type { PickerOption } from '../../../ui/overlays/picker-button.tsx'
import { filterOptions, hasOptionNamed } from '../../../ui/overlays/picker-options.ts'
import { memberOptions, tagOptions } from '../commands/field-pickers.tsx'
import { useStableBoot } from '../project-page-context.ts'
import { createPastedTasks, createTypedTask, type TypedTaskTarget } from './create-typed-task.ts'
import { type PastedTask, parsePastedTasks } from './pasted-tasks.ts'
import { formatChip, TypedChips } from './typed-chips.tsx'
import { type TypedLine, useTypedLine } from './use-typed-line.ts'

const MAX_NAMES = 6

/**
 * The line of a new task, in the dialog or at the end of a group: its values, and whom and what it can
 * name in the project.
 */
export function useTaskLine(
  target: TypedTaskTarget,
  readInitial: () => TypedLine,
  defaults?: readonly TypedValue[],
) {
  const boot = useStableBoot()
  const { members, session } = boot
  const { project, me } = target
  const tags = useTags(project.id)
  const today = useToday()
  const assignable = useProjectMembers(members, project)
  const canCreateTags = hasRight(session.user, 'shape_projects')
  const vocabulary = { ...getDateContext(today), tags, members: assignable, me, canCreateTags }
  const typed = useTypedLine(vocabulary, readInitial, defaults)
  const { line, setLine, addChip, removeChip } = typed
  // Chosen in another project: the list offers to add them to this one.
  const outsider = line.chips.find(
    (chip) => chip.kind === 'who' && !assignable.some(({ id }) => id === chip.id),
  )
  useEffect(() => {
    if (outsider) removeChip(outsider)
  })

  const addPerson = async (person: (typeof members)[number]) => {
    try {
      await addPersonToProject(project.id, person.id)
      // Until the list has them, they are no one to assign.
      await invalidatePeople(project.id)
      showToast({ text: quickAddMessages.added(person.name, project.name) })
    } catch (error) {
      showErrorToast(error)
    }
  }
  const listPeople = (): Suggestion[] => {
    const mayAdd = canEditProjectSettings(session.user, project)
    return memberOptions({ boot, me }).flatMap((option): Suggestion[] => {
      const person = members.find(({ id }) => id === option.id)
      if (!person) return []
      if (assignable.includes(person))
        return [toSuggestion(option, toNameChip('who', person), assignable)]
      const label = quickAddMessages.addAndAssign(person.name, project.name)
      const edit = insertWord(`@${person.name}`)
      const added = {
        ...option,
        label,
        words: person.name,
        edit,
        run: () => void addPerson(person),
      }
      return mayAdd ? [added] : []
    })
  }
  const listTags = (): Suggestion[] =>
    tagOptions(tags).map((option) =>
      toSuggestion(option, toNameChip('tag', { id: option.id, name: option.label }), tags),
    )
  /** Writes a chosen name into the text, or keeps it beside that if it does not say which record is meant. */
  const toSuggestion = (
    option: PickerOption,
    chip: TypedValue & { id: string; name: string },
    all: readonly { id: string; name: string }[],
  ): Suggestion =>
    findWholeName(chip.name, all)?.id === chip.id && !chip.name.includes('  ')
      ? { ...option, edit: insertWord(chip.typed) }
      : { ...option, edit: removeWord, run: () => addChip(chip) }
  /** The people or tags that the name after `@` or `#` may mean; one that is typed to its end needs no list. */
  const suggestNames: SuggestionSource = (text, caret) => {
    const { mark, typed: begun } = findMarkedName(text.slice(0, caret))
    if (mark === '' || isWithinCode(text, caret)) return undefined
    const all = mark === '@' ? listPeople() : listTags()
    const options = hasOptionNamed(all, begun) ? [] : filterOptions(all, begun).slice(0, MAX_NAMES)
    const name = begun.trim()
    const isNew = mark === '#' && canCreateTags && !findWholeName(name, tags)
    // Of several words, those after the first are more often the title.
    if (isNew && /^\S+$/.test(name) && !/^\d+$/.test(name)) {
      const label = quickAddMessages.createTag(name)
      options.push({ id: '+new', label, mark: <Icon name="plus" />, edit: insertWord(`#${name}`) })
    }
    return { name: quickAddMessages.suggestions, from: caret - begun.length - 1, options }
  }
  return {
    ...typed,
    chips: fitTags(typed.chips, vocabulary),
    suggestNames,
    choices: { people: assignable, tags, me, canCreateTags },
    /** Creates the task of a text and of chips that were taken before; undefined if it has no title. */
    create(text: string, chips: readonly TypedValue[], description?: string): Task | undefined {
      const { title, chips: all } = typed.finish(text, chips)
      if (title === '') return undefined
      return createTypedTask(target, title, fitTags(all, vocabulary), description)
    },
    /** Asks what pasted lines or rows become; returns whether there are several. */
    confirmPaste(pasted: string): boolean {
      const lines = parsePastedTasks(pasted, { ...vocabulary, statuses: project.statuses })
      if (lines.length < 2) return false
      const words = parsePastedLines(pasted)
        .map(({ text }) => text)
        .join(' ')
      confirmPastedLines(target, lines, () =>
        setLine((now) => ({ ...now, text: `${now.text}${words}` })),
      )
      return true
    },
  }
}

const toNameChip = (
  kind: 'who' | 'tag',
  { id, name }: { id: string; name: string },
): TypedValue & { id: string; name: string } => ({
  kind,
  typed: `${kind === 'who' ? '@' : '#'}${name}`,
  id,
  name,
})

/** The chips with the tags of the project that is chosen now, by their whole names. */
const fitTags = (
  chips: readonly TypedValue[],
  { tags, canCreateTags }: Pick<SentenceContext, 'tags' | 'canCreateTags'>,
): TypedValue[] =>
  chips.flatMap((chip): TypedValue[] => {
    if (chip.kind !== 'tag' && chip.kind !== 'new tag') return [chip]
    const { typed, name } = chip
    const tag = findWholeName(name, tags)
    if (tag) return [{ kind: 'tag', typed, id: tag.id, name: tag.name }]
    return canCreateTags ? [{ kind: 'new tag', typed, name }] : []
  })

interface TaskLineFieldProps
  extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onPaste' | 'value' | 'onChange' | 'onBlur'> {
  line: ReturnType<typeof useTaskLine>
  ref: RefObject<HTMLInputElement | null>
  /** Called when the focus leaves the line and its buttons. */
  onLeave?: () => void
  /** Returns whether it has taken a pasted text. */
  onPaste?: (pasted: string) => boolean
}

/** The field of a new task with the names that it offers, and the chips of its values. */
export function TaskLineField({
  line,
  ref,
  onKeyDown,
  onPaste,
  onLeave,
  ...rest
}: TaskLineFieldProps) {
  /** Its buttons belong to the line. */
  const handleBlur = ({ relatedTarget }: FocusEvent<HTMLElement>) => {
    const line = ref.current?.closest('.what, .card, form')
    const stays = relatedTarget instanceof Element && line?.contains(relatedTarget)
    if (!stays) onLeave?.()
  }
  const field = useRef<MarkdownField>(null)
  const suggestions = useSuggestions(field, [line.suggestNames], { endsWithEnter: true })
  const { text } = line.line
  const marks = useRef<HTMLDivElement>(null)
  /** The marks move with a text that is longer than the field. */
  const alignMarks = () => {
    if (marks.current && ref.current) marks.current.scrollLeft = ref.current.scrollLeft
  }
  useLayoutEffect(() => {
    field.current = ref.current && createPlainField(ref.current)
  }, [ref])
  useLayoutEffect(alignMarks)
  const updateSuggestions = useEffectEvent(suggestions.update)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is suggested depends on the text
  useEffect(() => {
    if (field.current?.hasFocus()) updateSuggestions()
  }, [text])
  const handleKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing || suggestions.handleKeyDown(event)) return
    if (!line.handleBackspace(event)) return onKeyDown?.(event)
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <span className="caret-area">
        <input
          autoComplete="off"
          {...rest}
          ref={ref}
          role="combobox"
          aria-expanded={suggestions.isOpen}
          aria-autocomplete="list"
          aria-controls={suggestions.listId}
          aria-activedescendant={suggestions.activeId}
          value={text}
          onChange={({ target }) => line.change(target.value)}
          onScroll={alignMarks}
          onSelect={suggestions.update}
          onKeyDown={handleKeyDown}
          onPaste={(event) => {
            const confirm = onPaste ?? line.confirmPaste
            if (confirm(event.clipboardData.getData('text'))) event.preventDefault()
          }}
          onBlur={(event) => {
            suggestions.close()
            handleBlur(event)
          }}
        />
        <div
          className={['typed-marks', rest.className].filter(Boolean).join(' ')}
          aria-hidden="true"
          ref={marks}
        >
          {markTokens(text, line.tokens)}
        </div>
        <SuggestionList {...suggestions.list} />
      </span>
      <div className="line-chips">
        <TypedChips chips={line.chips} onRemove={line.removeChip} />
      </div>
    </>
  )
}

/** The text of a line with the words that are values marked, to be drawn behind it. */
const markTokens = (text: string, tokens: readonly SentenceToken[]): ReactNode[] => {
  const edges = [0, ...tokens.flatMap(({ start, end }) => [start, end]), text.length]
  return edges.slice(1).map((end, at) => {
    const part = text.slice(edges[at], end)
    return at % 2 === 0 ? part : <mark key={end}>{part}</mark>
  })
}

const MAX_SHOWN_LINES = 8

/** Asks whether pasted lines or rows become one task each or a single title. */
function confirmPastedLines(
  target: Parameters<typeof createPastedTasks>[0],
  lines: readonly PastedTask[],
  insertAsTitle: () => void,
): void {
  const unreadCells = [...new Set(lines.flatMap((line) => line.unreadCells))]
  if (unreadCells.length > MAX_SHOWN_LINES) unreadCells.splice(MAX_SHOWN_LINES, Infinity, '…')
  openDialog({
    title: quickAddMessages.pastedAsk(lines.length, target.project.name),
    body: (close) => (
      <>
        <ol className="lines">
          {lines.slice(0, MAX_SHOWN_LINES).map(({ text, chips }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be the same
            <li key={at}>
              <span className="clip">{text}</span>
              <span className="quiet">{chips.map(formatChip).join(' · ')}</span>
            </li>
          ))}
        </ol>
        {lines.length > MAX_SHOWN_LINES && (
          <p className="quiet">{quickAddMessages.andMore(lines.length - MAX_SHOWN_LINES)}</p>
        )}
        {unreadCells.length > 0 && (
          <p className="quiet">{quickAddMessages.pastedUnread(unreadCells.join(', '))}</p>
        )}
        <div className="acts dialog-acts">
          <Button
            kind="primary"
            autoFocus
            onClick={() => {
              createPastedTasks(target, lines)
              close()
            }}
          >
            {quickAddMessages.pastedMake(lines.length)}
          </Button>
          <Button
            onClick={() => {
              insertAsTitle()
              close()
            }}
          >
            {quickAddMessages.pastedOne}
          </Button>
        </div>
      </>
    ),
  })
}
