import type { Status } from '#resources/projects/contract.ts'

/** The status of a new task whose status is not given (docs/spec/api.md#project). */
export const getDefaultStatus = ({
  statuses,
}: {
  statuses: readonly Status[]
}): string | undefined =>
  ['unstarted', 'backlog', 'started'].flatMap(
    (wanted) => statuses.find(({ category }) => category === wanted)?.key ?? [],
  )[0]
