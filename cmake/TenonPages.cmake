# Man pages and completions, generated from the programs' --help-all.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(pages ${PROJECT_BINARY_DIR}/pages)
  add_custom_command(OUTPUT ${pages}/stamp
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/help_pages.py
      --bin $<TARGET_FILE_DIR:tenon> --out ${pages}
    COMMAND ${CMAKE_COMMAND} -E touch ${pages}/stamp
    DEPENDS tenon tenon-opt ${PROJECT_SOURCE_DIR}/scripts/help_pages.py
    COMMENT "Man pages and completions" VERBATIM)
  add_custom_target(tenon-pages ALL DEPENDS ${pages}/stamp)

  # Debian's zsh has a separate folder for completions of packages.
  set(zsh_folder site-functions)
  if(EXISTS /etc/debian_version)
    set(zsh_folder vendor-completions)
  endif()
  foreach(pair man1=man/man1 bash=bash-completion/completions zsh=zsh/${zsh_folder}
      fish=fish/vendor_completions.d)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 from)
    list(GET pair 1 to)
    install(DIRECTORY ${pages}/${from}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/${to}
      COMPONENT programs OPTIONAL)
  endforeach()
endif()
