import { exampleOf, type RecordedExample } from '../../openapi/recorded-examples.ts'
import type { OperationCall } from '../openapi/operations.ts'

/** The recorded example of an operation, whose path the document writes with braces. */
export const findExample = ({ method, path }: OperationCall): RecordedExample | undefined =>
  exampleOf(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ':$1'))
