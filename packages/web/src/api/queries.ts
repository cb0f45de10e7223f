// Queries are named by operation: the key is the name and what was asked, so that streams and mutations find them.
import { queryOptions } from '@tanstack/react-query'
import { type CallInput, call } from './call.ts'
import type { BodyOf, OperationName, ReplyOf } from './operations.ts'

/** The first part of a name, such as `tasks` of `tasks.list`: what lists and single reads of a resource share. */
const resourceOf = (name: OperationName): string => name.split('.')[0] ?? name

export const keyOf = <N extends OperationName>(name: N, input?: CallInput<N>): readonly unknown[] =>
  input === undefined ? [resourceOf(name), name] : [resourceOf(name), name, input]

export const read = <N extends OperationName>(
  name: N,
  ...[input]: undefined extends BodyOf<N> ? [CallInput<N>?] : [CallInput<N>]
) =>
  queryOptions({
    queryKey: keyOf(name, input),
    queryFn: ({ signal }) =>
      (call as (name: N, input: CallInput<N>) => Promise<ReplyOf<N>>)(name, { ...input, signal } as CallInput<N>),
  })
