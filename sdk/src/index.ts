export {
  type ConditionalOptions,
  type Conflict,
  Docket,
  type DocketOptions,
  type DryRunOptions,
  type FileContent,
  type RequestOptions,
  type TokenSource,
  type WriteOptions,
} from './docket.ts'
export {
  type AnyDocketError,
  type ClientErrorCode,
  DocketError,
  isDocketError,
} from './errors.ts'
export { List, type Page } from './list.ts'
export * from './operations.ts'
export type * from './types.ts'
