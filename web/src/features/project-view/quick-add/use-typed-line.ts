import { type KeyboardEvent, useState } from 'react'
import {
  foldName,
  getValueKey,
  listShownTokens,
  mergeValues,
  readSentence,
  type SentenceContext,
  type SentenceToken,
  type TypedValue,
} from '#lib/typed-sentence.ts'

/** A line that is being typed: its text, the values chosen beside it, and the words that stay text. */
export interface TypedLine {
  text: string
  chips: readonly TypedValue[]
  textWords: readonly string[]
  /** What has been shown as a value since it was typed. */
  shown?: readonly SentenceToken[]
}

export const EMPTY_LINE: TypedLine = { text: '', chips: [], textWords: [] }

const NO_CHIPS: readonly TypedValue[] = []

/**
 * A line in which a new task is typed, with the values that its words are. Backspace right after such words
 * makes them text again; in an empty line it removes the last chip. Chips in `defaults` were not typed;
 * they apply until they are removed.
 */
export function useTypedLine(
  context: SentenceContext,
  readInitial: () => TypedLine,
  defaults: readonly TypedValue[] = NO_CHIPS,
) {
  const [line, setLine] = useState(readInitial)
  const [removedDefaults, setRemovedDefaults] = useState<readonly string[]>([])
  const { text, chips, shown = [] } = line
  const textWords = new Set(line.textWords)
  const kept = defaults.filter((chip) => !removedDefaults.includes(getValueKey(chip)))
  const { tokens, values } = readSentence(text, context, { textWords, isTyping: true, shown })
  /** Words that were given back are read again once they have been changed. */
  const change = (typed: string) => {
    const words = typed.replace(/\s+/g, ' ')
    const stays = line.textWords.filter((one) => words.includes(one))
    const shown = listShownTokens(tokens, text, typed)
    setLine({ ...line, text: typed, textWords: stays, shown })
  }
  const typedWordsOf = (chip: TypedValue) =>
    tokens.flatMap(({ value }) => (isSameValue(value, chip) ? value.typed : []))
  /** Adds a value that was chosen. It replaces one that was typed, unless a task can have both. */
  const addChip = (chip: TypedValue) =>
    setLine((now) => ({
      ...now,
      chips: mergeValues(now.chips, [chip]),
      textWords: [...now.textWords, ...typedWordsOf(chip)],
    }))
  /** The words of a removed value stay as text. */
  const removeChip = (chip: TypedValue) => {
    const words = typedWordsOf(chip)
    const others = chips.filter((one) => !isSameValue(one, chip))
    if (words.length > 0 || others.length < chips.length)
      return setLine({ ...line, chips: others, textWords: [...line.textWords, ...words] })
    const removed = kept.filter((one) => isSameValue(one, chip)).map(getValueKey)
    setRemovedDefaults([...removedDefaults, ...removed])
  }
  /** Gives back what ends before the caret; returns whether the key did that. */
  const handleBackspace = ({ key, currentTarget }: KeyboardEvent<HTMLInputElement>): boolean => {
    if (key !== 'Backspace') return false
    const { selectionStart, selectionEnd } = currentTarget
    const token = tokens.find(({ end }) => end === selectionStart && end === selectionEnd)
    const lastDefault = kept.at(-1)
    if (token) setLine({ ...line, textWords: [...line.textWords, token.value.typed] })
    else if (text === '' && chips.length > 0) setLine({ ...line, chips: chips.slice(0, -1) })
    else if (text === '' && lastDefault) removeChip(lastDefault)
    else return false
    return true
  }
  /** The title and values of a text that is complete. */
  const finish = (typed: string, more: readonly TypedValue[]) => {
    const sentence = readSentence(typed, context, {
      textWords,
      shown: listShownTokens(tokens, text, typed),
    })
    return { title: sentence.title, chips: mergeAll(kept, more, sentence.values) }
  }
  return {
    line,
    setLine,
    change,
    finish,
    addChip,
    removeChip,
    handleBackspace,
    tokens,
    /** The values as they would be now. */
    chips: mergeAll(kept, chips, values),
    clear() {
      setLine(EMPTY_LINE)
      setRemovedDefaults([])
    },
  }
}

const mergeAll = (...lists: (readonly TypedValue[])[]): readonly TypedValue[] =>
  lists.reduce((merged, one) => mergeValues(merged, one))

/** Whether a task has only one of two values; the tag of a name may be a new one in another project. */
function isSameValue(a: TypedValue, b: TypedValue): boolean {
  if (!('name' in a && 'name' in b)) return a.kind === b.kind
  if (a.kind === 'who' || b.kind === 'who') return getValueKey(a) === getValueKey(b)
  return foldName(a.name) === foldName(b.name)
}
