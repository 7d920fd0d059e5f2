import '../../styles/found-list.css'
import './search.css'
import { useNavigate, useSearch } from '@tanstack/react-router'
import {
  Fragment,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { findProjectByPrefix, useBoot, useMember } from '../../data/session/boot.ts'
import { getCachedTask, useTask } from '../../data/tasks/task-store.ts'
import { mentionIdsToNames } from '../../lib/markdown/mentions.ts'
import { searchMessages } from '../../messages/app/search.ts'
import { announce } from '../../ui/feedback/announce.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { Button } from '../../ui/form/button.tsx'
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { LongList } from '../../ui/layout/long-list.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import {
  CrossProjectBulkBar,
  type CrossProjectSelection,
  CrossProjectSelectionProvider,
  CrossProjectTaskRow,
  type RowFocus,
  useCreateCrossProjectSelection,
  useCrossProjectShortcuts,
  useRowFocus,
} from '../my-work/index.ts'
import { TaskSidePanel } from '../task-detail/index.ts'
import { SearchFilters } from './search-filters.tsx'
import { parseSearchPlaces, type TaskSearchParams } from './task-search-params.ts'
import { type TaskSearchHit, useTaskSearch } from './use-task-search.ts'

/**
 * Shortcuts of the search results, in addition to those of the list. `/` and Escape move the focus
 * back to the search field. If a task is open in the side panel, Escape closes it first (`close`).
 */
function useSearchShortcuts(
  rowFocus: RowFocus,
  field: RefObject<HTMLInputElement | null>,
  selectionState: { selection: CrossProjectSelection; order: readonly string[] },
  close: (() => void) | undefined,
): void {
  const isInList = () => rowFocus.getId() !== undefined
  const handleEscape = () => (close ? close() : field.current?.focus())
  useShortcuts('part', searchMessages.results, [
    {
      keys: '/',
      label: searchMessages.toField,
      run: () => field.current?.select(),
    },
    {
      keys: 'escape',
      label: searchMessages.toField,
      run: handleEscape,
      when: isInList,
      hidden: true,
    },
  ])
  useCrossProjectShortcuts(rowFocus, selectionState)
}

/**
 * Searches tasks of all projects by title, description and comments. The URL holds the whole
 * search.
 */
export function Search() {
  const address = useSearch({ from: '/w/$workspaceId/search' })
  const { q = '', who, task } = address
  const navigate = useNavigate({ from: '/w/$workspaceId/search' })
  const boot = useBoot('session', 'projects', 'members', 'former')
  const person = useMember(who)
  const updateSearch = useCallback(
    (change: Partial<TaskSearchParams> & { task?: undefined }, replace = false) =>
      void navigate({ search: (current) => omitEmpty({ ...current, ...change }), replace }),
    [navigate],
  )
  const searchFor = useCallback((words: string) => updateSearch({ q: words }, true), [updateSearch])
  // An unknown prefix must find nothing, so it becomes the id of a project that does not exist.
  const project_id =
    address.project && (findProjectByPrefix(boot, address.project)?.id ?? NO_PROJECT)
  const results = useTaskSearch({ q, who, project_id, places: parseSearchPlaces(address.in) })
  const { hits, error, isSettled, loadMore, isTruncated } = results
  const hasQuery = q !== '' || who !== undefined
  const count = hasQuery ? hits?.length : undefined
  const field = useRef<HTMLInputElement>(null)
  const scroll = useRef<HTMLDivElement>(null)
  const close = task ? () => updateSearch({ task: undefined }) : undefined
  const order = useMemo(() => hits?.map(getHitId) ?? [], [hits])
  const { selection, ids, value } = useCreateCrossProjectSelection(order)
  const rowFocus = useRowFocus(scroll, order)
  useSearchShortcuts(rowFocus, field, value, close)
  const selected = order.flatMap((id) => (ids.has(id) ? (getCachedTask(id) ?? []) : []))
  useEffect(() => {
    if (isSettled && count !== undefined) announce(searchMessages.found(count))
  }, [isSettled, count])
  const isNarrowed = address.project !== undefined || address.in !== undefined || (who && q !== '')
  return (
    <>
      <main className="paper" id="work">
        <header className="head">
          <div className="head-top">
            <div className="gut">
              {count !== undefined &&
                searchMessages.count(count, loadMore !== undefined || isTruncated)}
            </div>
            <h1>{person && q === '' ? searchMessages.of(person.name) : searchMessages.title}</h1>
          </div>
          {selected.length > 0 && (
            <CrossProjectBulkBar
              boot={boot}
              tasks={selected}
              all={selected.length < order.length ? () => selection.set(order) : undefined}
              clear={() => selection.set([])}
            />
          )}
          <search className="head-bar search-bar">
            <div className="gut" />
            <SearchField
              ref={field}
              q={q}
              onSearch={searchFor}
              onLeave={() => rowFocus.focusRow(order[0])}
            />
            <SearchFilters address={address} updateSearch={updateSearch} />
          </search>
        </header>
        <div className="scroll" ref={scroll} aria-busy={results.isFetching}>
          {error && <ErrorMessage error={error} onRetry={results.retry} />}
          {hasQuery && !hits && !error && <Skeleton rows={8} />}
          {!hasQuery && <EmptyState text={searchMessages.hint} />}
          {hasQuery && isSettled && hits?.length === 0 && (
            <EmptyState
              text={
                q === ''
                  ? searchMessages.nobodys
                  : isNarrowed
                    ? searchMessages.noneHere(q)
                    : searchMessages.none(q)
              }
            >
              {isNarrowed && (
                <Button
                  onClick={() =>
                    updateSearch({
                      project: undefined,
                      in: undefined,
                      ...(q && { who: undefined }),
                    })
                  }
                >
                  {searchMessages.everywhere}
                </Button>
              )}
            </EmptyState>
          )}
          {hasQuery && hits && (
            <CrossProjectSelectionProvider value={value}>
              <LongList
                name="search"
                className="list my found-tasks"
                aria-label={searchMessages.results}
                rows={hits}
                getId={getHitId}
                focused={rowFocus.focused}
              >
                {(hit) => <SearchResultRow hit={hit} />}
              </LongList>
            </CrossProjectSelectionProvider>
          )}
          {hasQuery && (loadMore || isTruncated) && (
            <p className="line">
              <span className="gut" />
              {loadMore ? (
                <span>
                  <Button onClick={loadMore}>{searchMessages.more}</Button>
                </span>
              ) : (
                <span className="quiet">{searchMessages.cut}</span>
              )}
            </p>
          )}
        </div>
      </main>
      <TaskSidePanel shortId={task} siblings={hits?.map(({ short_id }) => short_id) ?? []} />
    </>
  )
}

const NO_PROJECT = `prj_${'0'.repeat(26)}`

const getHitId = ({ id }: TaskSearchHit) => id

function SearchResultRow({ hit }: { hit: TaskSearchHit }) {
  const { id, where, snippet, comment_id } = hit
  const task = useTask(id)
  // If the title has changed since the search, its current text is shown without highlights.
  const isCurrentTitle = where === 'title' && snippet?.text === task?.title
  return (
    <CrossProjectTaskRow
      id={id}
      {...(isCurrentTitle && snippet && { title: <HighlightedText {...snippet} /> })}
      {...(comment_id !== null && { hash: comment_id })}
    >
      <SearchSnippet {...hit} />
    </CrossProjectTaskRow>
  )
}

type NonEmptySearchParams = { [K in keyof TaskSearchParams | 'task']?: string }

/** Removes empty parameters, which do not belong in the URL. */
const omitEmpty = (
  search: { [K in keyof NonEmptySearchParams]?: string | undefined },
): NonEmptySearchParams => Object.fromEntries(Object.entries(search).filter(([, value]) => value))

/** The text around a match, and where it was found. A match in the title needs no snippet. */
function SearchSnippet({ where, snippet }: TaskSearchHit) {
  if (!snippet || !where || where === 'title' || where === 'short_id') return null
  return (
    <span className="snippet">
      <span className="quiet">{searchMessages.where[where]}</span> <HighlightedText {...snippet} />
    </span>
  )
}

/** A plain text with some ranges highlighted. */
function HighlightedText({ text, ranges }: NonNullable<TaskSearchHit['snippet']>) {
  const { members } = useBoot('members')
  const ends = [0, ...ranges.map(([, to]) => to)]
  const plain = (from: number, to?: number) => mentionIdsToNames(text.slice(from, to), members)
  return (
    <>
      {ranges.map(([from, to], at) => (
        <Fragment key={from}>
          {plain(ends[at] ?? 0, from)}
          <mark>{text.slice(from, to)}</mark>
        </Fragment>
      ))}
      {plain(ends.at(-1) ?? 0)}
    </>
  )
}

const TYPING_DELAY_MS = 200

interface SearchFieldProps {
  q: string
  onSearch: (q: string) => void
  /** Called on Down and Enter, to move the focus to the results. */
  onLeave: () => void
  ref: Ref<HTMLInputElement>
}

/** The search input. It updates the URL a moment after the last key press. */
function SearchField({ q, onSearch, onLeave, ref }: SearchFieldProps) {
  const [typed, setTyped] = useState(q)
  // The URL may change after the user has typed on. Values that this field wrote must not replace
  // the newer text.
  const writtenValues = useRef(new Set<string>())
  useEffect(() => {
    if (!writtenValues.current.delete(q)) setTyped(q)
  }, [q])
  useEffect(() => {
    const next = typed.trim()
    if (next === q) return
    const timer = setTimeout(() => {
      writtenValues.current.add(next)
      onSearch(next)
    }, TYPING_DELAY_MS)
    return () => clearTimeout(timer)
  }, [typed, q, onSearch])
  return (
    <input
      ref={ref}
      className="field wide-search"
      type="search"
      aria-label={searchMessages.label}
      placeholder={searchMessages.placeholder}
      value={typed}
      maxLength={200}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'Enter') return
        event.preventDefault()
        onLeave()
      }}
    />
  )
}
