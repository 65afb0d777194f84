// The session settings with PostgreSQL's names and their initial values, for SHOW and
// current_setting().

export const sessionSettings = {
  application_name: '',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  client_min_messages: 'notice',
  datestyle: 'ISO, MDY',
  default_transaction_deferrable: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  extra_float_digits: '1',
  in_hot_standby: 'off',
  integer_datetimes: 'on',
  intervalstyle: 'postgres',
  is_superuser: 'off',
  lc_collate: 'C.UTF-8',
  lc_ctype: 'C.UTF-8',
  lock_timeout: '0',
  max_identifier_length: '63',
  row_security: 'on',
  search_path: '"$user", public',
  server_encoding: 'UTF8',
  /** Clients adapt their catalog queries to it. */
  server_version: '15.0',
  server_version_num: '150000',
  standard_conforming_strings: 'on',
  statement_timeout: '0',
  timezone: 'UTC',
  transaction_deferrable: 'off',
  transaction_isolation: 'read committed',
  transaction_read_only: 'off',
} as const
