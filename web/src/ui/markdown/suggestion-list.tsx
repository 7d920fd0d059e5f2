import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { MarkdownEdit } from '../../lib/markdown/markdown-edit.ts'
import { Avatar } from '../marks/avatar.tsx'
import { Icon, type IconName } from '../marks/icon.tsx'
import type { MarkdownField } from './markdown-field.ts'

const MAX_SUGGESTIONS = 9
const LOAD_DELAY_MS = 120

/** What can be inserted for what is being typed. */
export interface Suggestion {
  id: string
  label: string
  hint?: string
  /** An icon before the label, or the avatar of the person that is the label. */
  icon: IconName | 'avatar'
  /** The edit that inserts it in place of the typed text. */
  edit: (text: string, from: number, to: number) => MarkdownEdit
  /** Called after the edit. */
  run?: () => void
}

/** The suggestions for the text before the caret, and where that begins. */
export interface SuggestionMatch {
  name: string
  from: number
  options: Suggestion[]
  /** Finds more of them, for example on the server. */
  loadMore?: () => Promise<Suggestion[]>
}

/** Returns what is suggested at a position of the text, such as people after an `@`. */
export type SuggestionSource = (text: string, caret: number) => SuggestionMatch | undefined

interface Suggestions extends SuggestionMatch {
  /** Where the line of the caret is in the window, if that is known. */
  line: { top: number; bottom: number } | null
  /** The text that they are for. */
  typed: string
  active: number
}

/** Suggests what to insert while somebody types in the field of an editor. */
export function useSuggestions(
  field: RefObject<MarkdownField | null>,
  sources: readonly SuggestionSource[],
  id: string,
) {
  const [suggestions, setSuggestions] = useState<Suggestions>()
  /** Where the list was closed; it opens again for another word. */
  const closedFrom = useRef<number>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const show = (match: SuggestionMatch | undefined, typed: string) => {
    const isListed = match && match.options.length > 0 && match.from !== closedFrom.current
    if (!isListed) setSuggestions(undefined)
    else
      setSuggestions({
        ...match,
        options: match.options.slice(0, MAX_SUGGESTIONS),
        typed,
        active: 0,
        line: field.current?.readCaretLine() ?? null,
      })
  }
  const update = () => {
    clearTimeout(timer.current)
    const { current } = field
    const [from, to] = current?.readSelection() ?? [0, 0]
    const text = current?.readText() ?? ''
    const match = from === to ? findFirst(sources, text, from) : undefined
    if (match?.from !== closedFrom.current) closedFrom.current = undefined
    const typed = match ? text.slice(match.from, from) : ''
    if (suggestions && match && suggestions.typed === typed && suggestions.from === match.from)
      return
    show(match, typed)
    const { loadMore } = match ?? {}
    if (!match || !loadMore) return
    timer.current = setTimeout(async () => {
      // Without a network there are those that are loaded.
      const loaded = await loadMore().catch(() => [])
      const [caret] = field.current?.readSelection() ?? [0]
      // The answer for an earlier text is none for this one.
      if (field.current?.readText().slice(match.from, caret) !== typed) return
      const known = new Set(match.options.map((one) => one.id))
      const options = [...match.options, ...loaded.filter((one) => !known.has(one.id))]
      show({ ...match, options }, typed)
    }, LOAD_DELAY_MS)
  }
  const close = () => {
    clearTimeout(timer.current)
    setSuggestions(undefined)
  }
  const choose = (suggestion: Suggestion) => {
    const { current } = field
    if (!current || !suggestions) return
    current.edit(suggestion.edit(current.readText(), suggestions.from, current.readSelection()[0]))
    close()
    suggestion.run?.()
  }
  /** Returns whether the list handled the key. */
  const handleKeyDown = (event: KeyboardEvent): boolean => {
    if (!suggestions) return false
    const { options, active } = suggestions
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const option = options[active]
    if (step !== undefined && !hasModifier(event)) {
      setSuggestions({ ...suggestions, active: (active + step + options.length) % options.length })
    } else if ((event.key === 'Enter' || event.key === 'Tab') && option && !hasModifier(event)) {
      choose(option)
    } else if (event.key === 'Escape') {
      closedFrom.current = suggestions.from
      close()
    } else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  const active = suggestions?.active
  const aria = useMemo<Record<string, string>>(
    () => ({
      'aria-autocomplete': 'list',
      ...(active !== undefined && {
        'aria-controls': `${id}-list`,
        'aria-activedescendant': `${id}-list-${active}`,
      }),
    }),
    [active, id],
  )
  return { update, handleKeyDown, close, aria, list: { id: `${id}-list`, suggestions, choose } }
}

const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => ctrlKey || metaKey || altKey

function findFirst(
  sources: readonly SuggestionSource[],
  text: string,
  caret: number,
): SuggestionMatch | undefined {
  for (const source of sources) {
    const match = source(text, caret)
    if (match) return match
  }
  return undefined
}

const scrollIntoList = (option: HTMLElement | null) => option?.scrollIntoView({ block: 'nearest' })

interface SuggestionListProps {
  id: string
  suggestions: Suggestions | undefined
  choose: (suggestion: Suggestion) => void
}

/** The suggestions, under the line of the caret or, where there is no room, above it. */
export function SuggestionList({ id, suggestions, choose }: SuggestionListProps) {
  const line = useRef<HTMLDivElement>(null)
  const { top, bottom } = suggestions?.line ?? {}
  useLayoutEffect(() => {
    const { current } = line
    const area = current?.parentElement?.getBoundingClientRect()
    if (!current || !area || top === undefined || bottom === undefined) return
    current.style.insetBlock = `${top - area.top}px ${area.bottom - bottom}px`
  }, [top, bottom])
  if (!suggestions) return null
  return (
    <>
      <div className="caret-line" ref={line} />
      <div className="mentions float" role="listbox" id={id} aria-label={suggestions.name}>
        {suggestions.options.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the text field, which keeps the focus
          <div
            key={one.id}
            role="option"
            id={`${id}-${index}`}
            {...(index === suggestions.active && { ref: scrollIntoList })}
            tabIndex={-1}
            aria-selected={index === suggestions.active}
            // Keeps the focus in the text field.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(one)}
          >
            {one.icon === 'avatar' ? (
              <Avatar name={one.label} named />
            ) : (
              <>
                <Icon name={one.icon} />
                <span className="clip">{one.label}</span>
              </>
            )}
            {one.hint !== undefined && <span className="quiet clip">{one.hint}</span>}
          </div>
        ))}
      </div>
    </>
  )
}
