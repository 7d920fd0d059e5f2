import './markdown.css'
import { type KeyboardEvent, type RefObject, useMemo } from 'react'
import { isInCode } from '#lib/markdown-code.ts'
import { continueList } from '../../lib/markdown/markdown-edit.ts'
import type { Mentionable } from '../../lib/markdown/mentions.ts'
import { isApplePlatform } from '../keyboard/use-shortcuts.ts'
import type { MarkdownField } from './markdown-field.ts'
import { findFormattingTool } from './markdown-toolbar.tsx'
import { SuggestionList, type SuggestionSource, useSuggestions } from './suggestion-list.tsx'
import {
  suggestBlocks,
  suggestPeople,
  suggestTasks,
  type TaskSearch,
} from './suggestion-sources.tsx'
import { WritingField, type WritingFieldProps } from './writing-field.tsx'

/** What a field for Markdown knows of its surroundings. */
export interface MarkdownContext {
  /** Who can be mentioned. */
  people?: readonly Mentionable[]
  /** Finds the tasks that a `#` can refer to. */
  tasks?: TaskSearch | undefined
  /** How people in the text are shown. */
  references?: WritingFieldProps['references'] | undefined
}

interface MarkdownAreaProps
  extends MarkdownContext,
    Pick<WritingFieldProps, 'label' | 'text' | 'onChange'>,
    Partial<Pick<WritingFieldProps, 'does' | 'placeholder' | 'selection' | 'focus'>> {
  field: RefObject<MarkdownField | null>
  /** Asks for files; without it the field accepts none. */
  onAttach: (() => void) | undefined
  /** Escape while no list is open; without it the key is for what is around the field. */
  onEscape?: (() => void) | undefined
}

const NO_PEOPLE: readonly Mentionable[] = []

/** In code, an `@` or a `#` is a character like any other. */
const exceptInCode =
  (source: SuggestionSource): SuggestionSource =>
  (text, caret) => {
    const match = source(text, caret)
    return match && !isInCode(text, caret) ? match : undefined
  }

/** The text of an editor: what is suggested while somebody types, and the keys that format. */
export function MarkdownArea(props: MarkdownAreaProps) {
  const { field, people = NO_PEOPLE, tasks, onAttach, onEscape } = props
  const peopleSource = useMemo(() => suggestPeople(people), [people])
  const sources = [
    peopleSource,
    ...(tasks ? [suggestTasks(tasks)] : []),
    suggestBlocks(onAttach),
  ].map(exceptInCode)
  const suggestions = useSuggestions(field, sources)
  const { listId, activeId } = suggestions
  const aria = useMemo<Record<string, string>>(
    () => ({
      'aria-autocomplete': 'list',
      ...(listId !== undefined && { 'aria-controls': listId }),
      ...(activeId !== undefined && { 'aria-activedescendant': activeId }),
    }),
    [listId, activeId],
  )
  /** Before the field itself gets the key, which has meanings of its own for Enter and the arrows. */
  const handleKeyDown = (event: KeyboardEvent) => {
    const { current } = field
    if (!current || event.nativeEvent.isComposing || suggestions.handleKeyDown(event)) return
    const text = current.readText()
    const [from, to] = current.readSelection()
    // On a Mac, Ctrl with a letter moves the caret or deletes.
    const isTool = isApplePlatform ? event.metaKey : event.ctrlKey
    const tool =
      isTool && !event.altKey && !event.shiftKey ? findFormattingTool(event.key) : undefined
    if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') return
    if (tool) current.edit(tool.edit(text, from, to))
    else if (event.key === 'Enter' && !event.shiftKey && from === to) {
      const next = continueList(text, from)
      if (!next) return
      current.edit(next)
    } else if (event.key === 'Escape' && onEscape) onEscape()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: adds keys to its field
    <div
      className="editor-area caret-area"
      onKeyDownCapture={handleKeyDown}
      onBlur={suggestions.close}
    >
      <WritingField
        ref={field}
        label={props.label}
        does={props.does}
        placeholder={props.placeholder}
        text={props.text}
        selection={props.selection ?? START}
        focus={props.focus === true}
        references={props.references ?? {}}
        aria={aria}
        onChange={props.onChange}
        onSelect={suggestions.update}
      />
      <SuggestionList {...suggestions.list} />
    </div>
  )
}

const START = [0, 0] as const
