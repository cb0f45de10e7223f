-- A client id is sealed with its secret. It had been copied to where it could be read.
update credentials set account_identifier = '' where "grant" = 'credentials' and account_identifier <> '';
