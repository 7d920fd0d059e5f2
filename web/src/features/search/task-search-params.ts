import { SEARCH_PLACES, type SearchPlace } from './use-task-search.ts'

/** The search parameters of the search page. */
export interface TaskSearchParams {
  q?: string | undefined
  /** The id of the assignee. */
  who?: string | undefined
  /** The prefix of the project. */
  project?: string | undefined
  /** The places to search in, separated by commas: `title,comments`. */
  in?: string | undefined
}

export const parseSearchPlaces = (text = ''): SearchPlace[] => {
  const names = text.split(',')
  return SEARCH_PLACES.filter((place) => names.includes(place))
}

/** No place and all places both mean everywhere, which needs no parameter. */
export const formatSearchPlaces = (places: readonly SearchPlace[]): string | undefined =>
  places.length === 0 || places.length === SEARCH_PLACES.length ? undefined : places.join(',')
