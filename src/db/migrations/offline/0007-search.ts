import type { Migration } from '../../migrate/migrations.ts'

/**
 * Search words of comments; an upkeep job indexes the comments that existed before. On SQLite a
 * comment gets a stable number as its rowid in the full-text index (rowids of a table without such a
 * column may change), and deleted comments leave the index by triggers, as on PostgreSQL. Prefixes of
 * up to three letters after the workspace prefix have an index of their own: collecting all words with
 * a prefix would take 20 ms for 100,000 comments.
 */
export const searchMigration: Migration = {
  name: '0007-search',
  sql: '',
  sqlite: `
create table searched_comments (
  search_id integer primary key autoincrement,
  workspace_id text not null,
  comment_id text not null,
  unique (workspace_id, comment_id),
  foreign key (workspace_id, comment_id) references comments (workspace_id, id) on delete cascade
);
insert into searched_comments (workspace_id, comment_id)
  select workspace_id, id from comments order by id;
create virtual table comment_words using fts5(
  words, content='', contentless_delete=1, tokenize='ascii', detail=none, prefix='10 11 12'
);
create trigger comments_number after insert on comments begin
  insert into searched_comments (workspace_id, comment_id) values (new.workspace_id, new.id);
end;
create trigger comments_forget before delete on comments begin
  delete from comment_words where rowid = (select search_id from searched_comments
    where workspace_id = old.workspace_id and comment_id = old.id);
end;`,
  postgres: `
create table comment_words (
  workspace_id text not null,
  comment_id text not null,
  words tsvector not null,
  primary key (workspace_id, comment_id),
  foreign key (workspace_id, comment_id) references comments (workspace_id, id) on delete cascade
);
create index comment_words_words on comment_words using gin (words);`,
}
