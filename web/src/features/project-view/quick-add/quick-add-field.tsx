import {
  type ClipboardEvent,
  type KeyboardEvent,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { formatDay } from '../../../lib/dates/plain-date.ts'
import { deleteDraft, readDraft, saveDraft } from '../../../lib/state/drafts.ts'
import { parsePastedLines } from '../../../lib/text/pasted-lines.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { quickAddMessages } from '../../../messages/tasks/quick-add.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import { type BufferedInputProps, joinLines } from '../lazy/lazy-field.tsx'
import { useProjectPageContext } from '../project-page-context.ts'
import { ProjectViewContext } from '../project-view.ts'
import { confirmPastedLines } from './confirm-pasted-lines.tsx'
import { createTypedTask } from './create-typed-task.ts'
import {
  getChipKey,
  mergeChips,
  parseQuickAdd,
  type QuickAddChip,
  type QuickAddVocabulary,
} from './parse-quick-add.ts'
import { type NewTaskTarget, useQuickAdd } from './quick-add-context.ts'

interface QuickAddFieldProps extends BufferedInputProps {
  label: string
  place: NewTaskTarget
}

/**
 * The input for new tasks: Enter creates one and keeps the input open, Esc discards what is typed and
 * closes it. Until then the text is a draft of the project, wherever the input is shown next.
 */
export function QuickAddField({ label, place, bufferedLines, bufferedPaste }: QuickAddFieldProps) {
  const context = useProjectPageContext()
  const view = useContext(ProjectViewContext)
  const { end, place: requested } = useQuickAdd()
  const input = useRef<HTMLInputElement>(null)
  // The field that this one replaces was shown, and the person may have scrolled away from it since.
  const mayBeScrolledAway = useRef(bufferedLines.length > 0)
  // Also when it is asked for again: it may be out of sight, and keys would then change tasks.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request is another object
  useLayoutEffect(() => {
    input.current?.focus({ preventScroll: mayBeScrolledAway.current })
    mayBeScrolledAway.current = false
  }, [requested])
  const vocabulary: QuickAddVocabulary = {
    tags: context.tags,
    members: context.boot.members,
    me: context.me,
    today: context.filterContext.today,
    canCreateTags: context.boot.session.user.role !== 'guest',
  }
  const target = { context, view, place }
  const draftKey = `task.${context.project.id}`
  // The buffered text is there from the first render, so that further typing continues it.
  const [initial] = useState(() => {
    const { text, chips, textWords } = readTaskDraft(draftKey)
    const buffered = parseQuickAdd(bufferedLines.at(-1) ?? '', vocabulary)
    return {
      text: [text, buffered.text].filter(Boolean).join(' '),
      chips: mergeChips(chips, buffered.chips),
      textWords: new Set(textWords),
    }
  })
  const textWords = useRef(initial.textWords)
  const [text, setText] = useState(initial.text)
  const [chips, setChips] = useState(initial.chips)
  // Not after a delay: the field of another group may be shown instead at any moment.
  useLayoutEffect(() => {
    if (text === '' && chips.length === 0) deleteDraft(draftKey)
    else saveDraft(draftKey, JSON.stringify({ text, chips, textWords: [...textWords.current] }))
  }, [draftKey, text, chips])
  const cancel = () => {
    deleteDraft(draftKey)
    end()
  }
  const handleChange = (typed: string) => {
    const parsed = parseQuickAdd(typed, vocabulary, { textWords: textWords.current })
    setText(parsed.text)
    if (parsed.chips.length > 0) setChips(mergeChips(chips, parsed.chips))
  }
  const submit = (typed: string, more: readonly QuickAddChip[]) => {
    const parsed = parseQuickAdd(typed, vocabulary, {
      textWords: textWords.current,
      finished: true,
    })
    const title = parsed.text.trim()
    if (title !== '') createTypedTask(target, title, mergeChips(more, parsed.chips))
    return title !== ''
  }
  const submitAndClear = () => {
    if (!submit(text, chips)) return
    textWords.current.clear()
    setText('')
    setChips([])
  }
  const handleKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') submitAndClear()
    else if (event.key === 'Escape') cancel()
    else if (event.key === 'Backspace' && text === '' && chips.length > 0)
      setChips(chips.slice(0, -1))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  /** Whether a dialog has the focus, after which this field may get a title. */
  const isAsking = useRef(false)
  const confirmPaste = (pasted: string): boolean => {
    const lines = parsePastedLines(pasted)
    const insertAsTitle = () => setText(`${text}${lines.map((line) => line.text).join(' ')}`)
    isAsking.current = lines.length > 1
    if (isAsking.current) confirmPastedLines(target, lines, insertAsTitle)
    return isAsking.current
  }
  const handlePaste = (event: ClipboardEvent) => {
    if (confirmPaste(event.clipboardData.getData('text'))) event.preventDefault()
  }
  // What was entered and pasted before this field was loaded takes effect now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, on mount
  useEffect(() => {
    for (const line of bufferedLines.slice(0, -1)) submit(line, [])
    if (bufferedPaste === '' || confirmPaste(bufferedPaste)) return
    handleChange(`${text}${joinLines(bufferedPaste)}`)
  }, [])
  // The word of a removed chip stays as text and is not extracted again.
  const removeChip = (chip: QuickAddChip) => {
    textWords.current.add(chip.typed)
    setChips(chips.filter((one) => one !== chip))
    setText(`${text.trimEnd()} ${chip.typed} `.trimStart())
  }
  return (
    <>
      <input
        ref={input}
        aria-label={label}
        placeholder={projectViewMessages.newHint}
        value={text}
        autoComplete="off"
        onChange={(event) => handleChange(event.target.value)}
        onKeyDown={handleKeyDown}
        onPaste={handlePaste}
        onFocus={() => {
          isAsking.current = false
        }}
        onBlur={() => !isAsking.current && text === '' && chips.length === 0 && end()}
      />
      {chips.map((chip) => (
        <span key={getChipKey(chip)} className="chip">
          <i>{quickAddMessages.chips[chip.kind]}</i>
          {formatChip(chip)}
          <button
            type="button"
            aria-label={quickAddMessages.takeOffChip(
              quickAddMessages.chips[chip.kind],
              formatChip(chip),
            )}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => removeChip(chip)}
          >
            <Icon name="x" />
          </button>
        </span>
      ))}
      {text !== '' && <kbd>{quickAddMessages.enter}</kbd>}
    </>
  )
}

interface TaskDraft {
  text: string
  chips: readonly QuickAddChip[]
  /** The words that stay text. */
  textWords: readonly string[]
}

/** The line that was begun last in a project. */
function readTaskDraft(key: string): TaskDraft {
  const draft = readDraft(key)
  return draft === undefined
    ? { text: '', chips: [], textWords: [] }
    : (JSON.parse(draft) as TaskDraft)
}

function formatChip(chip: QuickAddChip): string {
  if (chip.kind === 'due') {
    const day = formatDay(chip.date)
    return /^\w+$/.test(chip.typed) ? `${chip.typed.toLowerCase()}, ${day}` : day
  }
  return chip.kind === 'priority' ? projectViewMessages.priorities[chip.priority] : chip.name
}
